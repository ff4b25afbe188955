// A disk that can be filled, can hang, can fail its syncs and can lose power, for tests: a RocksDB
// file system over the real one that remembers what was synced. Linked only into tests. Any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

namespace rocksdb {
class Env;
}

namespace annolog::eventstore {

class FaultDisk {
 public:
  FaultDisk();
  ~FaultDisk();
  FaultDisk(const FaultDisk&) = delete;
  FaultDisk& operator=(const FaultDisk&) = delete;

  // For open_rocksdb_log(options, env) of rocksdb/open.hpp.
  std::shared_ptr<rocksdb::Env> env() const;

  // So many bytes can still be appended, then "no space left", after what fits; nullopt: no limit.
  void set_room_bytes(std::optional<std::uint64_t> room);
  void fail_syncs(bool fail);
  // Who begins a file waits until this is off again.
  void hold_new_files(bool hold);
  // From now on nothing reaches the disk: every write, sync, rename and removal fails.
  void cut_power();
  // Once the log is closed: files fall back to what was synced, plus at most `torn_bytes` of what
  // was written after it; files whose folder was never synced are gone. Then the power is back.
  void restore_power(std::uint64_t torn_bytes);

 private:
  class FileSystem;
  class File;
  class Folder;
  std::shared_ptr<FileSystem> file_system_;
  std::shared_ptr<rocksdb::Env> env_;
};

}  // namespace annolog::eventstore
