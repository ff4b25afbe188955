// Seals and opens the personal fields of users with a key per person, and makes the keyed digests
// by which usernames and addresses stay unique without being readable. Any thread; blocking (key
// files): call from a pool.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/identity/sealed.hpp"
#include "eventstore/subject_keys.hpp"
#include "platform/keyring.hpp"

namespace annolog::api {

// nullopt: the person was erased, or the bytes are not what was sealed.
std::optional<std::string> open_sealed(const eventstore::SubjectKeys& keys, const Sealed& sealed);

class PersonalData {
 public:
  PersonalData(eventstore::SubjectKeys& keys, const platform::Keyring& keyring)
      : keys_(keys), keyring_(keyring) {}

  // A new person's key; its id says nothing about them.
  std::string new_key();
  void forget(const std::string& key_id);

  Sealed seal(const std::string& key_id, std::string_view text) const;
  // The same for equal names without regard to case.
  std::string digest(std::string_view name) const;

 private:
  eventstore::SubjectKeys& keys_;
  const platform::Keyring& keyring_;
};

}  // namespace annolog::api
