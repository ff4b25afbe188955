#include "api/http/cursor.hpp"

namespace annolog::http {
namespace {

constexpr std::size_t kMaxCursorBytes = 8192;

}  // namespace

std::string Cursors::encode(std::string_view fingerprint, std::string_view position) const {
  return signer_.sign(position, fingerprint);
}

Result<std::string> Cursors::decode(std::string_view fingerprint, std::string_view cursor) const {
  if (cursor.size() <= kMaxCursorBytes) {
    if (auto position = signer_.verify(cursor, fingerprint)) return std::move(*position);
  }
  return DomainError{DomainError::Kind::invalid,
                     "INVALID_CURSOR",
                     "The cursor was not given for this query; start again without it.",
                     {},
                     {},
                     0};
}

}  // namespace annolog::http
