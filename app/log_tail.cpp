#include "app/log_tail.hpp"

#include <fmt/format.h>
#include <fnmatch.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "app/log_place.hpp"
#include "app/merged_records.hpp"
#include "app/record_line.hpp"
#include "app/stop_flag.hpp"

namespace annolog::app {
namespace {

using eventstore::Offset;
using eventstore::Record;
using eventstore::ShardId;
using Clock = std::chrono::steady_clock;

// How soon a signal or a closed pipe is seen.
constexpr std::chrono::milliseconds kLook{200};
// A log that another process writes on this machine tells nothing: it is looked at.
constexpr std::chrono::seconds kRefresh{1};
// Between listing the files and opening them, their writer may have removed one.
constexpr int kRefreshTries = 5;

// Standard output, until nobody reads it.
class Output {
 public:
  Output() { ::signal(SIGPIPE, SIG_IGN); }

  void put(const std::string& line) {
    open_ = open_ && std::fputs((line + "\n").c_str(), stdout) >= 0;
  }
  void flush() { open_ = open_ && std::fflush(stdout) == 0; }
  bool is_open() const { return open_; }
  // Sees a closed pipe although nothing is written.
  bool look() {
    pollfd out{STDOUT_FILENO, 0, 0};
    if (::poll(&out, 1, 0) > 0 && (out.revents & (POLLERR | POLLNVAL)) != 0) open_ = false;
    return open_;
  }

 private:
  bool open_ = true;
};

// What the log's subscription wakes.
class News {
 public:
  void tell() {
    const std::lock_guard lock(mutex_);
    there_ = true;
    came_.notify_one();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    came_.wait_for(lock, kLook, [this] { return there_; });
    there_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  bool there_ = false;
};

class LogTail {
 public:
  LogTail(eventstore::EventLog& log, const LogTailOptions& options)
      : log_(log), options_(options), log_id_(log.log_info().log_id) {
    if (options.shard && *options.shard >= log.shard_count())
      throw std::invalid_argument(
          fmt::format("there is no shard {}: the log has {}", *options.shard, log.shard_count()));
    if (options.from == 0U) throw std::invalid_argument("the first record has offset 1, not 0");
  }

  void run() {
    News news;
    const auto subscription = log_.subscribe([&](ShardId, Offset) { news.tell(); });
    const auto places = options_.from ? places_before(Offset{*options_.from - 1}) : ends();
    if (!options_.from) show_newest(places);
    MergedRecords records(log_, places);
    show_all(records);
    if (!options_.follow) return;
    while (!stop_.requested() && output_.look()) {
      news.wait();
      refresh();
      if (log_.health().fatal) throw eventstore::LogCorrupted(log_.health().detail);
      show_all(records);
    }
  }

 private:
  using Places = std::vector<MergedRecords::From>;

  Places places_before(Offset offset) const {
    Places places;
    for (const ShardId shard : shards()) places.push_back({shard, offset});
    return places;
  }

  Places ends() const {
    Places places;
    for (const ShardId shard : shards()) places.push_back({shard, log_.end(shard)});
    return places;
  }

  std::vector<ShardId> shards() const {
    if (options_.shard) return {ShardId(*options_.shard)};
    std::vector<ShardId> all;
    for (std::uint16_t s = 0; s < log_.shard_count(); ++s) all.emplace_back(s);
    return all;
  }

  bool matches(const Record& record) const {
    return options_.type.empty() ||
           ::fnmatch(options_.type.c_str(), record.headers.type.c_str(), 0) == 0;
  }

  void show_newest(const Places& ends) {
    const auto newest = newest_records(
        log_, ends, options_.last, [this](const Record& record) { return matches(record); },
        [this] { return stop_.requested(); });
    for (const Record& record : newest) put(record);
    output_.flush();
  }

  // As far as there are records.
  void show_all(MergedRecords& records) {
    while (!stop_.requested() && output_.is_open()) {
      const auto record = records.next();
      if (!record) break;
      if (matches(*record)) put(*record);
    }
    output_.flush();
  }

  void put(const Record& record) {
    output_.put(options_.json ? json_line(record, log_id_) : text_line(record));
  }

  void refresh() {
    if (Clock::now() - refreshed_ < kRefresh) return;
    try {
      log_.refresh();
      tries_ = 0;
    } catch (const std::runtime_error&) {
      if (++tries_ == kRefreshTries) throw;
    }
    refreshed_ = Clock::now();
  }

  eventstore::EventLog& log_;
  const LogTailOptions& options_;
  const std::string log_id_;
  const StopFlag stop_;
  Output output_;
  Clock::time_point refreshed_ = Clock::now();
  int tries_ = 0;
};

}  // namespace

int tail_log(const platform::Settings& settings, platform::Logger& logger,
             const LogTailOptions& options) {
  const auto log = open_for_reading(place_of_log(settings), settings, logger);
  LogTail(*log, options).run();
  return 0;
}

}  // namespace annolog::app
