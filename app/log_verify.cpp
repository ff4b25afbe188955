#include "app/log_verify.hpp"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <stdexcept>

#include "app/judgement.hpp"
#include "app/log_place.hpp"
#include "app/progress_line.hpp"
#include "app/say.hpp"
#include "domain/support/number.hpp"
#include "eventstore/chain.hpp"
#include "workers/audit/checkpoint_file.hpp"

namespace annolog::app {
namespace {

using eventstore::Offset;
using eventstore::ShardId;

eventstore::Position parse_position(std::string_view text) {
  const auto colon = text.find(':');
  if (colon != std::string_view::npos) {
    const auto shard = number_from<std::uint16_t>(text.substr(0, colon));
    const auto offset = number_from<std::uint64_t>(text.substr(colon + 1));
    if (shard && offset) return {ShardId(*shard), Offset(*offset)};
  }
  throw std::invalid_argument(fmt::format("--from is SHARD:OFFSET, not \"{}\"", text));
}

class LogVerification {
 public:
  explicit LogVerification(const eventstore::EventLog& log) : log_(log) {}

  int run(const LogVerifyOptions& options) {
    const std::string& from = options.from;
    if (!from.empty()) {
      const auto position = parse_position(from);
      total_ = log_.end(position.shard).value - position.offset.value;
      verify(position.shard, position.offset);
      return summary(1);
    }
    for (std::uint16_t s = 0; s < log_.shard_count(); ++s) total_ += log_.end(ShardId(s)).value;
    for (std::uint16_t s = 0; s < log_.shard_count(); ++s) verify(ShardId(s), Offset{});
    if (!options.checkpoint.empty()) compare(options);
    return summary(log_.shard_count());
  }

 private:
  void verify(ShardId shard, Offset from) {
    try {
      const auto report = log_.verify(shard, from, [&](Offset reached, Offset) {
        progress_.show(records_ + reached.value - from.value, total_);
      });
      records_ += report.records;
      if (report.records > 0)
        say_line(fmt::format("shard {}: {} records, chain {}", shard.value, report.records,
                             eventstore::to_hex(eventstore::as_bytes(report.chain))));
    } catch (const eventstore::LogCorrupted& error) {
      sound_ = false;
      say_line(fmt::format("shard {}: DAMAGED: {}", shard.value, error.what()));
    }
  }

  // The chain of a record stands for all before it: where it is the one that was signed, nothing
  // was cut off or rewritten since.
  void compare(const LogVerifyOptions& options) {
    std::optional<workers::PublicKeys> keys;
    if (!options.key.empty()) keys = workers::read_public_keys(options.key);
    const auto read = workers::read_checkpoints(
        options.checkpoint, keys,
        [&](const std::string& fault) { say_line(options.checkpoint + ", " + fault); });
    sound_ = sound_ && read.faults == 0;
    unchecked_ = read.is_unchecked;
    if (!keys) say_line("the checkpoints' signatures were not checked: no --key was given");
    std::size_t held = 0;
    for (const auto& checkpoint : read.checkpoints) held += compare(checkpoint);
    say_line(fmt::format("{} checkpoints, {} signed positions are as they were",
                         read.checkpoints.size(), held));
  }

  // How many positions that no other one named are as they were signed.
  std::size_t compare(const workers::Checkpoint& checkpoint) {
    if (checkpoint.log_id != log_.log_info().log_id) {
      sound_ = false;
      say_line(fmt::format("checkpoint {} is of another log", checkpoint.number));
      return 0;
    }
    std::size_t held = 0;
    for (const auto& head : checkpoint.heads) {
      if (!compared_.emplace(head.shard, head.position).second) continue;
      const std::string wrong = wrong_at(head);
      if (wrong.empty()) {
        ++held;
        continue;
      }
      sound_ = false;
      say_line(fmt::format("shard {}, position {}: {} (checkpoint {} of {})", head.shard,
                           head.position, wrong, checkpoint.number, to_rfc3339(checkpoint.at)));
    }
    return held;
  }

  std::string wrong_at(const workers::LogHead& head) const {
    if (head.shard < 0 || head.shard >= log_.shard_count())
      return "REWRITTEN: there is no such shard";
    const ShardId shard(static_cast<std::uint16_t>(head.shard));
    const Offset position(static_cast<std::uint64_t>(head.position));
    if (log_.end(shard) < position)
      return fmt::format("TRUNCATED: the shard ends at {}", log_.end(shard).value);
    const auto found = log_.read(shard, Offset(position.value - 1), {.max_records = 1});
    const bool same = !found.empty() && found.front().position.offset == position &&
                      eventstore::to_hex(eventstore::as_bytes(found.front().chain)) == head.chain;
    return same ? "" : "REWRITTEN: another chain was signed";
  }

  int summary(std::uint16_t shards) {
    const Judgement judgement = judge(sound_, unchecked_);
    say_line(fmt::format("{}: {} records in {} shard{}", judgement.word, records_, shards,
                         shards == 1 ? "" : "s"));
    return judgement.exit_code;
  }

  void say_line(const std::string& line) {
    progress_.clear();
    say(line);
  }

  const eventstore::EventLog& log_;
  ProgressLine progress_{ProgressLine::Elsewhere::nothing};
  std::uint64_t total_ = 0;
  std::uint64_t records_ = 0;
  bool sound_ = true;
  bool unchecked_ = false;  // of a checkpoint: no key was given, or another one
  std::set<std::pair<std::int64_t, std::int64_t>> compared_;
};

}  // namespace

int verify_log(const platform::Settings& settings, platform::Logger& logger,
               const LogVerifyOptions& options) {
  const auto log = open_for_reading(place_of_log(settings), settings, logger);
  return LogVerification(*log).run(options);
}

int show_log(const platform::Settings& settings, platform::Logger& logger) {
  const LogPlace place = place_of_log(settings);
  const auto log = open_for_reading(place, settings, logger);
  const auto info = log->log_info();
  say(fmt::format("log {} format {} shards {}", info.log_id, info.format_version,
                  info.shard_count));
  say("in " + to_text(place));
  std::uint64_t records = 0;
  for (std::uint16_t s = 0; s < log->shard_count(); ++s) {
    const ShardId shard(s);
    const auto end = log->end(shard).value;
    if (end == 0) continue;
    records += end;
    // The state of a log in Kafka is each node's own.
    say(place.folder.empty()
            ? fmt::format("shard {}: end {}", s, end)
            : fmt::format("shard {}: end {} state {}", s, end, log->state_position(shard).value));
  }
  say(fmt::format("{} records", records));
  return 0;
}

}  // namespace annolog::app
