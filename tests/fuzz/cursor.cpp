// Signed texts and page cursors. First line: a text that claims to be signed. Second: a place and a
// byte to change it to. Third: the list's fingerprint; the rest: the position.
#include <charconv>
#include <string>

#include "api/http/cursor.hpp"
#include "api/http/cursor_signer.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/keys.hpp"

namespace annolog::fuzz {
namespace {

using platform::Purpose;
using platform::TextSigner;

// Changes one byte, at the place and to the byte that `change` names; may leave it as it is.
std::string altered(std::string text, std::string_view change) {
  std::size_t place = 0;
  const auto [end, error] = std::from_chars(change.data(), change.data() + change.size(), place);
  if (error != std::errc() || text.empty()) return text;
  const bool named = end != change.data() + change.size();
  text[place % text.size()] = named ? *end : '.';
  return text;
}

void check_signed(const TextSigner& signer, std::string_view token) {
  const auto payload = signer.verify(Purpose::cursor, token);
  if (!payload) return;
  require(!signer.verify(Purpose::position, token), "a text is signed for one purpose");
  const std::string again = signer.sign(Purpose::cursor, *payload);
  require(!token.starts_with("k2.") || again == token, "a payload has one signed text");
}

}  // namespace

void try_input(std::string_view input) {
  static const TextSigner signer(fixed_keyring());
  static const http::Cursors cursors(http::cursor_signer(signer));
  const auto [token, after_token] = split(input);
  const auto [change, after_change] = split(after_token);
  const auto [fingerprint, position] = split(after_change);
  check_signed(signer, token);
  (void)cursors.decode(fingerprint, token);
  if (position.size() > 2000) return;  // longer than any sort key; what is signed has a limit

  const std::string cursor = cursors.encode(fingerprint, position);
  check_signed(signer, cursor);
  const auto back = cursors.decode(fingerprint, cursor);
  require(back && back.value() == position, "a cursor gives its position back");
  const std::string other = std::string(fingerprint) + "?";
  require(!cursors.decode(other, cursor), "a cursor is bound to its list");
  const std::string changed = altered(cursor, change);
  require(changed == cursor || !cursors.decode(fingerprint, changed), "a change is noticed");
}

}  // namespace annolog::fuzz
