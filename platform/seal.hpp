// Sealing of personal fields with a key per person: XChaCha20-Poly1305
// (draft-irtf-cfrg-xchacha-03) with a nonce derived from key, context and plaintext, so that the
// same input gives the same bytes and a replay of the log is byte-identical. Equal plaintexts under
// one key and one context are therefore visible as equal; the context (e.g. "user/7/email") keeps
// fields apart and a sealed value can't be moved to another field. Pure functions, any thread.
//
// Layout: "AS", version 1, nonce (24 bytes), ciphertext, tag (16 bytes).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace annolog::platform {

struct SubjectKey {
  std::array<std::uint8_t, 32> bytes{};
  bool operator==(const SubjectKey&) const = default;
};

struct SealContext {
  std::string_view text;
};

class Sealer {
 public:
  static constexpr std::size_t kOverheadBytes = 3 + 24 + 16;

  static std::string seal(const SubjectKey& key, SealContext context, std::string_view plaintext);
  // nullopt for another key or context, a changed byte, a cut end or an unknown version.
  static std::optional<std::string> open(const SubjectKey& key, SealContext context,
                                         std::string_view sealed);
};

}  // namespace annolog::platform
