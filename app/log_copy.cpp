#include "app/log_copy.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "app/key_copy.hpp"
#include "app/log_place.hpp"
#include "app/progress_line.hpp"
#include "app/say.hpp"
#include "app/stop_flag.hpp"
#include "eventstore/copy_log.hpp"

namespace annolog::app {
namespace {

constexpr int kDiffers = 1;
constexpr int kBySignal = 128;
constexpr std::string_view kBesides =
    "To be moved besides: the folders of keys and objects (docs/operations.md, \"Moving a log\").";

std::uint64_t count_records(const eventstore::EventLog& log) {
  std::uint64_t records = 0;
  for (std::uint16_t s = 0; s < log.shard_count(); ++s)
    records += log.end(eventstore::ShardId(s)).value;
  return records;
}

class LogCopy {
 public:
  LogCopy(const platform::Settings& settings, platform::Logger& logger,
          const LogCopyOptions& options)
      : settings_(settings),
        logger_(logger),
        from_(parse_log_place(options.from)),
        to_(parse_log_place(options.to)) {
    if (from_ == to_) throw std::invalid_argument("a log can't be copied onto itself");
    with_keys_ = !options.without_keys && keys_lie_elsewhere(from_, to_);
    if (with_keys_) require_keys_folder(settings);
  }

  int run() {
    const StopFlag stop;
    source_ = open_source();
    if (!copy_all(stop)) {
      say(fmt::format("interrupted: {} records were copied; the same command goes on from there",
                      copied_));
      return kBySignal + stop.signal();
    }
    return compare();
  }

 private:
  std::unique_ptr<eventstore::EventLog> open_source() const {
    return open_for_reading(from_, settings_, logger_, Reading::in_line);
  }

  // False when it was interrupted. What the source's service has appended meanwhile is copied too.
  bool copy_all(const StopFlag& stop) {
    const auto target = open_for_copying(to_, settings_, logger_, source_->log_info());
    for (;;) {
      if (!copy_once(*target, stop)) return false;
      const std::uint64_t had = count_records(*source_);
      source_ = open_source();
      const std::uint64_t has = count_records(*source_);
      if (has == had) return true;
      progress_.note(
          fmt::format("the source has grown by {} records: they are copied, too; stop whoever "
                      "writes it, or the copy is old at once",
                      has - had));
    }
  }

  bool copy_once(eventstore::RecordImport& target, const StopFlag& stop) {
    eventstore::CopyOptions options;
    options.on_progress = [&](std::uint64_t there, std::uint64_t of) {
      if (there_before_ > there) there_before_ = there;
      copied_ = there - there_before_;
      progress_.show(there, of);
    };
    options.stop = [&] { return stop.requested(); };
    try {
      return !eventstore::copy_records(*source_, target, options).stopped;
    } catch (const eventstore::LogCorrupted& error) {
      throw std::runtime_error(fmt::format("{} is DAMAGED: {}; nothing behind it was copied",
                                           to_text(from_), error.what()));
    } catch (const eventstore::LogRefused& error) {
      throw std::runtime_error(fmt::format("{}: {}", to_text(to_), error.what()));
    } catch (const eventstore::LogUnavailable& error) {
      throw std::runtime_error(
          fmt::format("{}; {} records were copied, the same command goes on from there",
                      error.what(), copied_));
    }
  }

  int compare() {
    const auto copy = open_for_reading(to_, settings_, logger_);
    if (const auto difference = eventstore::first_difference(*source_, *copy)) {
      say("DIFFERENT: " + *difference);
      return kDiffers;
    }
    say(fmt::format("OK: {} records in {} shards, chains equal", count_records(*copy),
                    copy->shard_count()));
    if (with_keys_) copy_keys();
    progress_.note(std::string(kBesides));
    return 0;
  }

  void copy_keys() const {
    const auto report = copy_subject_keys(*source_, from_, to_, settings_, logger_);
    say(fmt::format("OK: keys of {} people, {} have none any more", report.copied, report.erased));
  }

  const platform::Settings& settings_;
  platform::Logger& logger_;
  const LogPlace from_;
  const LogPlace to_;
  bool with_keys_ = false;
  ProgressLine progress_{ProgressLine::Elsewhere::lines};
  std::unique_ptr<eventstore::EventLog> source_;
  std::uint64_t there_before_ = UINT64_MAX;  // records that an earlier run has copied
  std::uint64_t copied_ = 0;
};

}  // namespace

int copy_log(const platform::Settings& settings, platform::Logger& logger,
             const LogCopyOptions& options) {
  return LogCopy(settings, logger, options).run();
}

}  // namespace annolog::app
