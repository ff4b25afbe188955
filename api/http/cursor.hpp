// Page cursors: opaque, signed, and bound to the query that they continue. Pure but for the signer;
// any thread, if the signer's functions are.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "domain/support/result.hpp"

namespace annolog::http {

// How texts are signed: cursor_signer.hpp makes one of the platform's TextSigner.
struct CursorSigner {
  std::function<std::string(std::string_view payload, std::string_view bound_to)> sign;
  std::function<std::optional<std::string>(std::string_view token, std::string_view bound_to)>
      verify;
};

class Cursors {
 public:
  explicit Cursors(CursorSigner signer) : signer_(std::move(signer)) {}

  // `fingerprint` is the list's name and everything that must stay the same from page to page
  // (filters, order, and the caller when visibility matters); `position` is the last row's sort
  // key.
  std::string encode(std::string_view fingerprint, std::string_view position) const;
  // The position; 422 INVALID_CURSOR when altered, foreign or for another query.
  Result<std::string> decode(std::string_view fingerprint, std::string_view cursor) const;

 private:
  CursorSigner signer_;
};

}  // namespace annolog::http
