// Subject keys as they lie in Kafka: encrypted and authenticated under a wrapping key, each bound
// to its record's key, so that a value can't be changed or moved to another person.
// XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03) with a random nonce. Any thread.
//
// Layout: "AK", version 1, nonce (24 bytes), encrypted key (32), tag (16).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "eventstore/subject_keys.hpp"

namespace annolog::eventstore::kafka {

class KeyWrapping {
 public:
  explicit KeyWrapping(const SubjectKey& wrapping_key);
  ~KeyWrapping();
  KeyWrapping(const KeyWrapping&) = delete;
  KeyWrapping& operator=(const KeyWrapping&) = delete;

  std::string wrap(std::string_view record_key, const SubjectKey& key) const;
  // nullopt: another wrapping key or record key, or not what was written.
  std::optional<SubjectKey> unwrap(std::string_view record_key, std::string_view wrapped) const;

 private:
  SubjectKey wrapping_key_;
};

// Bytes fit for keys. Any thread.
SubjectKey random_subject_key();
std::string random_hex(std::size_t bytes);

}  // namespace annolog::eventstore::kafka
