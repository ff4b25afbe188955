// What bench_log is asked for; filled by main(). Sizes in bytes.
#pragma once

#include <cstdint>
#include <string>

namespace annolog::bench {

struct LogOptions {
  std::string folder;
  std::uint64_t bytes = 1024;  // of one event's data, or of one synced append
  std::uint64_t events = 1;    // of one command
  std::uint64_t group = 64;    // commands of one commit: as many clients wait
  double seconds = 3;
  std::uint64_t times = 1000;  // appends of one synced file
  double rate = 0;             // of them a second; 0: one after another
};

// Each prints one line of JSON and throws when the store refuses.
void append_to_log(const LogOptions& options);      // through the event log's port
void append_to_rocksdb(const LogOptions& options);  // the same bytes as plain synced batches
void append_to_file(const LogOptions& options);     // write and fdatasync, one at a time
void decode_log(const LogOptions& options);         // reads every record and decodes its event

}  // namespace annolog::bench
