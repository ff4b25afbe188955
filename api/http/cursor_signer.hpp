// Signs cursors with the platform's keys. Any thread; the signer must outlive what this makes.
#pragma once

#include "api/http/cursor.hpp"
#include "platform/signed_text.hpp"

namespace annolog::http {

inline CursorSigner cursor_signer(const platform::TextSigner& signer) {
  return {[&signer](std::string_view payload, std::string_view bound_to) {
            return signer.sign(platform::Purpose::cursor, payload, bound_to);
          },
          [&signer](std::string_view token, std::string_view bound_to) {
            return signer.verify(platform::Purpose::cursor, token, bound_to);
          }};
}

}  // namespace annolog::http
