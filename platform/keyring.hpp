// The service's signing keys, in one file `signing.keys` (mode 0600) of a folder: a root key that
// never changes, and signing keys by kid, newest first. Each purpose gets its own key, derived by
// HMAC-SHA-256 (the expand step of RFC 5869), so a text signed for one is worth nothing elsewhere.
// Several processes may share the folder; first use and rotate() take a lock file. What another one
// has rotated, or an operator has copied there, is taken up within a second.
// All methods may be called from any thread. Throws std::system_error or std::runtime_error when
// the folder can't be used, the file is damaged, or others than its owner may read it.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/digest.hpp"

namespace annolog::platform {

enum class Purpose {
  jwt,
  secret,
  cursor,
  url,
  position,
  captcha,
  username,
  subject_keys,
  oidc,
  checkpoint,
  webhook
};
inline constexpr std::size_t kPurposeCount = 11;

struct SigningKey {
  std::string kid;
  MacKey key{};
};

class Keyring {
 public:
  static constexpr std::size_t kMaxKeys = 8;  // rotate() forgets the oldest past this

  // Makes folder and file at first use.
  static Keyring open(const std::filesystem::path& folder);
  ~Keyring();
  Keyring(Keyring&&) noexcept;
  Keyring& operator=(Keyring&&) noexcept;

  SigningKey current(Purpose purpose) const;
  std::optional<MacKey> find(Purpose purpose, std::string_view kid) const;
  // From the root key: for what must stay the same for ever, e.g. a keyed hash of a username.
  MacKey lasting(Purpose purpose) const;

  // A new current key; texts signed with the older ones stay good. Answers the new kid.
  std::string rotate();
  std::vector<std::string> kids() const;  // newest first

 private:
  struct Impl;
  explicit Keyring(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace annolog::platform
