// The file of the signing keys: a header line, `root HEX`, `key KID HEX` newest first, `end`.
// Internal to the keyring. Throws std::system_error when the file can't be used,
// std::runtime_error when it is damaged or others than its owner may read it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platform/digest.hpp"
#include "platform/files.hpp"
#include "platform/keyring.hpp"

namespace annolog::platform {

struct StoredKeys {
  MacKey root{};
  std::vector<SigningKey> keys;  // newest first
};

SigningKey new_signing_key();
std::string to_text(const StoredKeys& stored);
StoredKeys load_keys(const std::filesystem::path& path);
// Held while the file is made or changed; the system lets it go when the process dies.
UniqueFd lock_keys(const std::filesystem::path& folder);

}  // namespace annolog::platform
