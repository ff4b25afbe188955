// Signing keys that are the same in every run, so that a finding replays and tokens can stand in
// the corpus. Tests only. One thread.
#pragma once

#include "platform/keyring.hpp"

namespace annolog::fuzz {

// One current key and an older one.
const platform::Keyring& fixed_keyring();

}  // namespace annolog::fuzz
