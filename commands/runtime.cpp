#include "commands/runtime.hpp"

#include <algorithm>
#include <thread>

#include "commands/group.hpp"
#include "commands/waiting_commands.hpp"
#include "eventstore/for_each_shard.hpp"
#include "platform/prompt_thread.hpp"

namespace annolog::commands {
namespace {

// Small steps share a commit even while callers wait.
constexpr std::size_t kStepsBytes = 8U << 10U;

}  // namespace

struct Runtime::Shared {
  eventstore::EventLog& log;
  const platform::Clock& clock;
  platform::Logger& logger;
  RuntimeOptions options;
  HandlerOptions handler_options;
  OnFatal on_fatal;
  Runtime::Observer observer;
  platform::Counter committed_commands;
  platform::Counter committed_groups;
  platform::Counter refused_commands;
  platform::Gauge waiting_commands;
  platform::Histogram commit_seconds;
};

class Runtime::Writer {
 public:
  Writer(Shared& shared, std::vector<OwnedShard> shards)
      : shared_(shared), shards_(std::move(shards)), waiting_(shared.options.queue_limit) {
    for (const auto& shard : shards_) ids_.push_back(shard.id);
  }
  ~Writer() { stop(); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void start() {
    for (auto& shard : shards_) shard.last_ms = last_time(shared_.log, shard.id);
    thread_ = platform::prompt_thread("writer", [this] { run(); });
  }

  void stop() {
    waiting_.close();
    if (thread_.joinable()) thread_.join();
  }

  // Takes the envelope unless the queue is full or the writer stops.
  std::optional<DomainError> push(Envelope& envelope) {
    auto refused = waiting_.push(envelope);
    if (!refused) shared_.waiting_commands.add(1);
    return refused;
  }

 private:
  void run() {
    for (;;) {
      auto turn = waiting_.next_turn(shared_.options.group_commands_max);
      if (turn.commands.empty()) return;
      shared_.waiting_commands.add(-static_cast<double>(turn.commands.size()));
      try {
        // Unless it went well, nothing more is taken; what waits stays unanswered until the
        // restart.
        if (!commit(std::move(turn))) return waiting_.close();
      } catch (const std::exception& error) {
        // State or log can't be read or decoded: nothing of the group was committed or answered.
        shared_.on_fatal(std::string("the writer failed: ") + error.what());
        return waiting_.close();
      }
    }
  }

  OwnedShard& owned(eventstore::ShardId id) {
    return *std::find_if(shards_.begin(), shards_.end(),
                         [&](const OwnedShard& shard) { return shard.id == id; });
  }

  // False after a fatal outcome: nothing more may be written.
  bool commit(WaitingCommands::Turn turn) {
    if (!shared_.log.health().writable) shared_.log.try_resume();
    auto& taken = turn.commands;
    std::size_t next = 0;
    while (next < taken.size()) {
      auto transaction = shared_.log.begin(ids_);
      Group group(*transaction, shared_.log.shard_count(), shared_.clock, shared_.handler_options,
                  [this](const Envelope& envelope, const char* what) {
                    shared_.logger.error("a command failed", {{"request_id", envelope.request_id},
                                                              {"command", envelope.command.index()},
                                                              {"error", what}});
                  });
      while (next < taken.size() && !is_full(*transaction, turn.of_steps)) {
        auto& envelope = taken[next++];
        auto& shard = owned(shard_of(envelope.command, shared_.log.shard_count()));
        group.add(std::move(envelope), shard);
      }
      if (!finish(*transaction, group)) return false;
      if (turn.of_steps && next < taken.size() && waiting_.callers_wait()) {
        shared_.waiting_commands.add(static_cast<double>(taken.size() - next));
        waiting_.give_back(taken, next);
        return true;
      }
    }
    return true;
  }

  bool is_full(const eventstore::Transaction& transaction, bool of_steps) const {
    const std::size_t bytes = transaction.bytes();
    if (bytes >= shared_.options.group_bytes_max) return true;
    return of_steps && bytes >= kStepsBytes && waiting_.callers_wait();
  }

  bool finish(eventstore::Transaction& transaction, Group& group) {
    const auto began_ms = shared_.clock.monotonic_ms();
    const auto outcome = shared_.log.commit(transaction);
    shared_.commit_seconds.observe(static_cast<double>(shared_.clock.monotonic_ms() - began_ms) /
                                   1000);
    if (outcome == eventstore::CommitOutcome::ok) {
      shared_.committed_groups.add();
      shared_.committed_commands.add(static_cast<double>(group.decided().size()));
      if (shared_.observer) {
        for (auto& decided : group.decided()) shared_.observer(decided.events);
      }
      for (auto& decided : group.decided()) decided.done(std::move(decided.outcome));
      return true;
    }
    for (auto& shard : shards_) shard.cache.clear();
    if (outcome != eventstore::CommitOutcome::refused_no_space) {
      // Whether the group is durable is not known: answer nothing, stop, let the restart find out.
      shared_.on_fatal("the log could not make a commit durable: " + shared_.log.health().detail);
      return false;
    }
    shared_.refused_commands.add(static_cast<double>(group.decided().size()));
    // Refusals too: they may rest on an earlier command of the group that is not there now.
    for (auto& decided : group.decided()) decided.done({log_full(), std::nullopt, false});
    return true;
  }

  Shared& shared_;
  std::vector<OwnedShard> shards_;
  std::vector<eventstore::ShardId> ids_;
  WaitingCommands waiting_;
  std::thread thread_;
};

Runtime::Runtime(eventstore::EventLog& log, const platform::Clock& clock, platform::Logger& logger,
                 platform::Metrics& metrics, RuntimeOptions options, OnFatal on_fatal)
    : shared_(std::make_unique<Shared>(Shared{
          log,
          clock,
          logger,
          options,
          HandlerOptions{options.lock_ms},
          std::move(on_fatal),
          {},
          metrics.counter({"commands_decided_total", "Commands decided and answered"}),
          metrics.counter({"log_commits_total", "Groups of commands committed"}),
          metrics.counter({"commands_refused_total", "Commands refused for want of log space"}),
          metrics.gauge({"commands_waiting", "Commands that no writer has taken yet"}),
          metrics.histogram({"log_commit_seconds", "Time of a synced group commit"})})) {
  const std::size_t count =
      std::max<std::size_t>(1, std::min<std::size_t>(options.writers, log.shard_count()));
  std::vector<std::vector<OwnedShard>> owned(count);
  for (std::uint16_t s = 0; s < log.shard_count(); ++s) {
    owned[s % count].push_back({eventstore::ShardId(s), {}, 0});
  }
  for (auto& shards : owned) {
    writers_.push_back(std::make_unique<Writer>(*shared_, std::move(shards)));
  }
}

Runtime::~Runtime() { stop(); }

void Runtime::observe(Observer observer) { shared_->observer = std::move(observer); }

void Runtime::start() {
  auto& log = shared_->log;
  eventstore::for_each_shard(log.shard_count(),
                             [&](eventstore::ShardId shard) { fold_to_end(log, shard); });
  for (auto& writer : writers_) writer->start();
}

void Runtime::stop() {
  for (auto& writer : writers_) writer->stop();
}

std::uint16_t Runtime::shard_count() const { return shared_->log.shard_count(); }

void Runtime::send(Envelope envelope) {
  const auto shard = shard_of(envelope.command, shard_count());
  if (auto refused = writers_[shard.value % writers_.size()]->push(envelope)) {
    envelope.done({std::move(*refused), std::nullopt, false});
  }
}

}  // namespace annolog::commands
