// MD5 of bytes that come piece by piece. For the adapters of the object store; one thread at a
// time.
// Throws std::runtime_error where MD5 is not available. Source: RFC 1321, as OpenSSL has it.
#pragma once

#include <openssl/evp.h>

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "platform/encoding.hpp"

namespace annolog::platform {

// Unlike platform::Md5 it can be asked half way.
class RunningMd5 {
 public:
  RunningMd5() : context_(::EVP_MD_CTX_new()) {
    if (!context_ || ::EVP_DigestInit_ex(context_.get(), ::EVP_md5(), nullptr) != 1)
      throw std::runtime_error("object store: MD5 is not available");
  }
  void add(std::span<const std::byte> bytes) {
    if (::EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) != 1)
      throw std::runtime_error("object store: MD5 failed");
  }
  // Of the bytes so far; more may follow.
  std::string hex() const {
    Context copy(::EVP_MD_CTX_new());
    std::string digest(16, '\0');
    if (!copy || ::EVP_MD_CTX_copy_ex(copy.get(), context_.get()) != 1 ||
        ::EVP_DigestFinal_ex(copy.get(), reinterpret_cast<unsigned char*>(digest.data()),
                             nullptr) != 1)
      throw std::runtime_error("object store: MD5 failed");
    return to_hex(digest);
  }

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const { ::EVP_MD_CTX_free(context); }
  };
  using Context = std::unique_ptr<EVP_MD_CTX, Free>;
  Context context_;
};

}  // namespace annolog::platform
