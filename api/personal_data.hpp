// Seals and opens the personal fields of users with a key per person, and makes the keyed digests
// by which usernames and addresses stay unique without being readable. Any thread; blocking (key
// files): call from a pool.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "domain/identity/sealed.hpp"
#include "platform/keyring.hpp"
#include "platform/seal.hpp"

namespace annolog::api {

// Where the keys lie; app/ joins this to the key store. Any thread; blocking.
struct PersonKeys {
  std::function<std::optional<platform::SubjectKey>(std::string_view id)> get;
  std::function<void(std::string_view id)> create;  // durable when it returns
  std::function<void(std::string_view id)> erase;   // gone for good when it returns
};

// nullopt: the person was erased, or the bytes are not what was sealed.
std::optional<std::string> open_sealed(const PersonKeys& keys, const Sealed& sealed);

class PersonalData {
 public:
  PersonalData(const PersonKeys& keys, const platform::Keyring& keyring)
      : keys_(keys), keyring_(keyring) {}

  // A new person's key; its id says nothing about them.
  std::string new_key();
  void forget(const std::string& key_id);

  Sealed seal(const std::string& key_id, std::string_view text) const;
  std::optional<std::string> open(const Sealed& sealed) const { return open_sealed(keys_, sealed); }
  // The same for names that are equal but for case, in Unicode's sense (platform/name_text.hpp).
  std::string digest(std::string_view name) const;
  // Of what only equals itself, byte by byte.
  std::string exact_digest(std::string_view text) const;

 private:
  const PersonKeys& keys_;
  const platform::Keyring& keyring_;
};

}  // namespace annolog::api
