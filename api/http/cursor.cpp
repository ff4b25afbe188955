#include "api/http/cursor.hpp"

#include "platform/digest.hpp"

namespace annolog::http {
namespace {

constexpr std::size_t kDigestBytes = 16;
constexpr std::size_t kMaxCursorBytes = 8192;

std::string digest(std::string_view fingerprint) {
  const auto hash = platform::sha256(fingerprint);
  return std::string(platform::as_bytes_view(hash).substr(0, kDigestBytes));
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
