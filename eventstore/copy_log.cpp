#include "eventstore/copy_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "eventstore/chain.hpp"
#include "eventstore/record_check.hpp"

namespace annolog::eventstore {
namespace {

class Copy {
 public:
  Copy(const EventLog& source, RecordImport& target, const CopyOptions& options)
      : source_(source), target_(target), options_(options) {}

  CopyReport run() {
    for (std::uint16_t i = 0; i < source_.shard_count(); ++i) {
      const ShardId shard(i);
      ends_.push_back(source_.end(shard));
      total_ += ends_.back().value;
      require_beginning(shard, ends_.back());
      there_ += target_.end(shard).offset.value;
    }
    tell();
    for (std::uint16_t i = 0; i < source_.shard_count() && !report_.stopped; ++i)
      copy_shard(ShardId(i), ends_[i]);
    commit();
    target_.settle();
    return report_;
  }

 private:
  void require_beginning(ShardId shard, Offset last) const {
    const ShardEnd end = target_.end(shard);
    if (end.offset > last)
      throw LogRefused(
          fmt::format("shard {}: the target has offset {}, the source ends at {}: the target is "
                      "not a copy of it",
                      shard.value, end.offset.value, last.value));
    if (end.offset == Offset{}) return;
    const auto same = source_.read(shard, Offset{end.offset.value - 1}, {.max_records = 1});
    if (same.empty() || same.front().chain != end.chain)
      throw LogRefused(
          fmt::format("shard {} offset {}: the target's chain is not the source's: the target is "
                      "not a copy of it",
                      shard.value, end.offset.value));
  }

  void copy_shard(ShardId shard, Offset last) {
    const ShardEnd begin = target_.end(shard);
    ChainCheck check(shard, begin.offset, begin.chain);
    std::vector<Record> command;  // what has been read of commands that are not complete
    while (check.reached() < last) {
      auto records = source_.read(shard, check.reached(), {});
      if (records.empty())
        throw LogCorrupted(shard, check.reached().next(), "the record is missing");
      for (Record& record : records) {
        if (record.position.offset > last) break;
        check.next(record);
        bytes_ += record.data.size();
        command.push_back(std::move(record));
        // What was committed ends with a command: at the end, it ends whatever the record says.
        if (!command.back().last_of_command && check.reached() < last) continue;
        take(command);
        if (report_.stopped) return;
      }
    }
  }

  void take(std::vector<Record>& command) {
    target_.append(command);
    taken_ += command.size();
    command.clear();
    if (taken_ < options_.commit_records && bytes_ < options_.commit_bytes) return;
    commit();
    report_.stopped = options_.stop && options_.stop();
  }

  void commit() {
    if (taken_ == 0) return;
    target_.commit();
    report_.copied += taken_;
    there_ += taken_;
    taken_ = 0;
    bytes_ = 0;
    tell();
  }

  void tell() const {
    if (options_.on_progress) options_.on_progress(there_, total_);
  }

  const EventLog& source_;
  RecordImport& target_;
  const CopyOptions& options_;
  CopyReport report_;
  std::vector<Offset> ends_;  // of the source
  std::uint64_t total_ = 0;
  std::uint64_t there_ = 0;
  std::size_t taken_ = 0;  // since the last commit
  std::size_t bytes_ = 0;
};

std::string in_words(const ShardEnd& end) {
  return fmt::format("ends at {} with chain {}", end.offset.value, to_hex(as_bytes(end.chain)));
}

}  // namespace

CopyReport copy_records(const EventLog& source, RecordImport& target, const CopyOptions& options) {
  return Copy(source, target, options).run();
}

ShardEnd stored_end(const EventLog& log, ShardId shard) {
  const Offset last = log.end(shard);
  if (last == Offset{}) return {last, ChainHasher().genesis(shard, log.shard_count())};
  const auto records = log.read(shard, Offset{last.value - 1}, {.max_records = 1});
  if (records.empty()) throw LogCorrupted(shard, last, "the last record is missing");
  return {last, records.front().chain};
}

std::optional<std::string> first_difference(const EventLog& source, const EventLog& copy) {
  if (source.log_info().log_id != copy.log_info().log_id)
    return fmt::format("the log ids differ: {} and {}", source.log_info().log_id,
                       copy.log_info().log_id);
  if (source.shard_count() != copy.shard_count())
    return fmt::format("the source has {} shards, the copy {}", source.shard_count(),
                       copy.shard_count());
  for (std::uint16_t i = 0; i < source.shard_count(); ++i) {
    const ShardEnd ours = stored_end(source, ShardId(i));
    const ShardEnd theirs = stored_end(copy, ShardId(i));
    if (ours != theirs)
      return fmt::format("shard {}: the source {}, the copy {}", i, in_words(ours),
                         in_words(theirs));
  }
  return std::nullopt;
}

}  // namespace annolog::eventstore
