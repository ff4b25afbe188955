#include "eventstore/subject_key_import.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include "eventstore/errors.hpp"

namespace annolog::eventstore {

void require_same_key(std::string_view subject, const SubjectKey& there, const SubjectKey& wanted) {
  if (CRYPTO_memcmp(there.data(), wanted.data(), wanted.size()) != 0)
    throw LogRefused(fmt::format("the subject {} has another key there", subject));
}

}  // namespace annolog::eventstore
