// `annolog audit verify` and `annolog checkpoint show|verify`: offline, from files alone. Each
// gives the exit code: 0 all holds, 1 something does not, 2 it can't be checked, or no key says by
// whom it was signed (of `show`: only where a key was given and is not theirs).
#pragma once

#include <filesystem>
#include <ostream>
#include <string>

namespace annolog::app {

struct AuditVerifyOptions {
  std::string file;
  std::string key;         // empty: signatures are not looked at
  std::string checkpoint;  // empty: none
};

int verify_audit(const AuditVerifyOptions& options, std::ostream& out, std::ostream& err);

struct CheckpointOptions {
  std::string file;
  std::string key;  // empty: signatures are not looked at
  std::size_t last = 20;
};

// One line each: number, time, key, shards, records, audit rows.
int show_checkpoints(const CheckpointOptions& options, std::ostream& out, std::ostream& err);
int verify_checkpoints(const CheckpointOptions& options, std::ostream& out, std::ostream& err);

}  // namespace annolog::app
