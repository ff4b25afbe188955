#include "api/http/cursor.hpp"

#include <array>

#include <openssl/sha.h>

namespace annolog::http {
namespace {

constexpr std::size_t kDigestBytes = 16;
constexpr std::size_t kMaxCursorBytes = 8192;

std::string digest(std::string_view fingerprint) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> hash{};
  // The conversion of text to bytes is what OpenSSL's interface asks for.
  SHA256(reinterpret_cast<const unsigned char*>(fingerprint.data()), fingerprint.size(),
         hash.data());
  return std::string(hash.begin(), hash.begin() + kDigestBytes);
}

DomainError invalid_cursor() {
  return {DomainError::Kind::invalid,
          "INVALID_CURSOR",
          "The cursor was not given for this query; start again without it.",
          {},
          {},
          0};
}

}  // namespace

std::string Cursors::encode(std::string_view fingerprint, std::string_view position) const {
  return signer_.sign(digest(fingerprint).append(position));
}

Result<std::string> Cursors::decode(std::string_view fingerprint, std::string_view cursor) const {
  if (cursor.empty() || cursor.size() > kMaxCursorBytes) return invalid_cursor();
  const auto payload = signer_.verify(cursor);
  if (!payload || payload->size() < kDigestBytes) return invalid_cursor();
  if (payload->compare(0, kDigestBytes, digest(fingerprint)) != 0) return invalid_cursor();
  return payload->substr(kDigestBytes);
}

}  // namespace annolog::http
