#include "domain/support/case_fold.hpp"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/stringpiece.h>

#include <cstdint>
#include <stdexcept>

namespace annolog {
namespace {

void require(UErrorCode status) {
  if (U_FAILURE(status) != 0)
    throw std::runtime_error(std::string("NFKC_Casefold: ") + u_errorName(status));
}

}  // namespace

std::string case_folded(std::string_view utf8) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* form = icu::Normalizer2::getNFKCCasefoldInstance(status);
  require(status);
  std::string text;
  icu::StringByteSink<std::string> sink(&text);
  form->normalizeUTF8(0, {utf8.data(), static_cast<std::int32_t>(utf8.size())}, sink, nullptr,
                      status);
  require(status);
  return text;
}

}  // namespace annolog
