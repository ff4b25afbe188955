// Copies the records of a log into another place, record by record as they are. One thread.
//
// The chain is recomputed on the way: a record that was altered, dropped or reordered is named
// (LogCorrupted), and neither it nor anything after it in its shard is copied.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "eventstore/event_log.hpp"
#include "eventstore/record_import.hpp"

namespace annolog::eventstore {

struct CopyOptions {
  // A commit takes whole commands until one of these is reached; a longer command alone.
  std::size_t commit_records = 1000;
  std::size_t commit_bytes = 4U << 20U;
  // Records that are in the target, and how many the source has.
  std::function<void(std::uint64_t there, std::uint64_t of)> on_progress = {};
  std::function<bool()> stop = {};  // asked between commits
};

struct CopyReport {
  std::uint64_t copied = 0;
  bool stopped = false;  // before the end
};

// Goes on where the target ends, up to the source's ends as they are at the beginning; what was
// copied is seen by whoever looks then. Throws LogRefused naming shard and offset when the target
// is not the beginning of the source.
CopyReport copy_records(const EventLog& source, RecordImport& target, const CopyOptions& options);

// The last record of each shard with its chain, as stored.
ShardEnd stored_end(const EventLog& log, ShardId shard);
// The first shard whose ends or chains differ, in words; nullopt when the logs are equal.
std::optional<std::string> first_difference(const EventLog& source, const EventLog& copy);

}  // namespace annolog::eventstore
