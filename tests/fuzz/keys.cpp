#include "tests/fuzz/keys.hpp"

#include <string>

#include "platform/files.hpp"

namespace annolog::fuzz {

const platform::Keyring& fixed_keyring() {
  static const platform::Keyring keyring = [] {
    const platform::TempDir folder;
    platform::write_file_atomically(folder.path() / "signing.keys",
                                    "annolog-signing-keys 1\nroot " + std::string(64, '0') +
                                        "\nkey k2 " + std::string(64, '2') + "\nkey k1 " +
                                        std::string(64, '1') + "\nend\n");
    return platform::Keyring::open(folder.path());
  }();
  return keyring;
}

}  // namespace annolog::fuzz
