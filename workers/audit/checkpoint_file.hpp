// Checkpoints as an auditor has them: the service's file (a line each), one answer of
// GET /audit/checkpoints/{number}, or a page of them. Blocking; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "workers/audit/signed_statement.hpp"
#include "workers/audit/statements.hpp"

namespace annolog::workers {

// Checks one after the other: form, signature, that each follows the one before it where both are
// there, and that nothing that was signed before is gone or another. One thread.
class CheckpointCheck {
 public:
  using Tell = std::function<void(const std::string& fault)>;

  // Without keys the signatures are not looked at.
  CheckpointCheck(std::optional<PublicKeys> keys, Tell tell)
      : keys_(std::move(keys)), tell_(std::move(tell)) {}

  // What it says; nullopt: nothing that can be used.
  std::optional<Checkpoint> add(std::string_view line);
  std::int64_t faults() const { return faults_; }
  // No keys were given, or one is signed with a key that is not among them, which is told, too.
  bool is_unchecked() const { return !keys_ || is_unchecked_; }

 private:
  std::optional<Checkpoint> fault(const std::string& what);
  bool check_signature(const SignedStatement& of, std::int64_t number);
  void check_growth(const Checkpoint& read);
  void check_order(const Checkpoint& read);

  const std::optional<PublicKeys> keys_;
  const Tell tell_;
  std::int64_t line_ = 0;
  std::int64_t faults_ = 0;
  bool is_unchecked_ = false;
  Checkpoint last_;  // number 0: none yet
  std::string last_digest_;
};

struct CheckpointsRead {
  std::vector<Checkpoint> checkpoints;  // those that hold, oldest first
  std::int64_t faults = 0;
  bool is_unchecked = false;
};

// Throws std::runtime_error when the file can't be read or has none.
CheckpointsRead read_checkpoints(const std::filesystem::path& file,
                                 const std::optional<PublicKeys>& keys,
                                 const CheckpointCheck::Tell& tell);

// Throws std::runtime_error when the file can't be read or holds no key.
PublicKeys read_public_keys(const std::filesystem::path& file);

}  // namespace annolog::workers
