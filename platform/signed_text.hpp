// Short texts that leave the service and must come back unaltered: cursors, positions, signed URLs.
// `kid.payload.mac`, payload and mac in base64url; readable by anyone, changeable by no one.
// A text may be bound to another, which both sides know and which is not in it: with any other it
// is worth nothing. Whatever else limits it (method, expiry) is in the payload; this checks only
// origin. Any thread. The keyring must outlive the signer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "platform/keyring.hpp"

namespace annolog::platform {

class TextSigner {
 public:
  static constexpr std::size_t kMaxTokenBytes = 8192;

  explicit TextSigner(const Keyring& keyring) : keyring_(&keyring) {}

  // Throws std::length_error when the token would be longer than verify() takes.
  std::string sign(Purpose purpose, std::string_view payload, std::string_view bound_to = {}) const;
  // The payload; nullopt when the text is not one that sign() gave for this purpose, bound to this.
  std::optional<std::string> verify(Purpose purpose, std::string_view token,
                                    std::string_view bound_to = {}) const;

 private:
  const Keyring* keyring_;
};

}  // namespace annolog::platform
