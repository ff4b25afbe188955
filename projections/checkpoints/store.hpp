// Signed checkpoints and the public keys that check them. They lie beside the read models, whose
// rebuild does not touch them. Any thread, blocking, errors as in queries/read_pool.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "domain/support/timestamp.hpp"
#include "projections/queries/page.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::projections {

struct StoredCheckpoint {
  std::int64_t number = 0;
  Timestamp at;
  std::string statement;  // byte for byte as signed
  std::string key_id;
  std::string signature;
};

struct StoredKey {
  std::string key_id;
  std::string public_key;  // base64url
};

struct CheckpointNumber {
  std::int64_t value = 0;
};

class CheckpointQueries {
 public:
  explicit CheckpointQueries(ReadPool& pool) : pool_(&pool) {}

  Page<StoredCheckpoint, CheckpointNumber> page(std::optional<CheckpointNumber> before,
                                                std::int64_t limit) const;  // newest first
  std::optional<StoredCheckpoint> find(std::int64_t number) const;
  std::vector<StoredCheckpoint> behind(std::int64_t number, std::int64_t limit) const;
  std::vector<StoredKey> keys() const;

 private:
  ReadPool* pool_;
};

// For whoever makes them. The pool must be one that writes.
class CheckpointStore {
 public:
  explicit CheckpointStore(ReadPool& pool) : pool_(&pool) {}

  struct Made {
    StoredCheckpoint checkpoint;
    StoredKey key;
  };
  // Gives `make` the newest one, if there is any, and keeps what it makes of it, if anything.
  // False, and `make` is not asked, while another process is at it: a lock in the database lets one
  // in.
  bool add(const std::function<std::optional<Made>(const std::optional<StoredCheckpoint>&)>& make);
  // Those that a database that was made anew has lost; those that are there stay as they are.
  void put_back(const std::vector<StoredCheckpoint>& lost);

 private:
  ReadPool* pool_;
};

}  // namespace annolog::projections
