// The service without its edge: writers over a log in RocksDB, and a projector behind them, wired
// as the service wires them. So that the same commands may be sent with what the edge adds for the
// audit, and without. One thread; throws when a command is refused or the read models do not come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <semaphore>
#include <span>
#include <string>
#include <vector>

#include "commands/runtime.hpp"
#include "platform/clock.hpp"
#include "platform/log.hpp"
#include "platform/metrics.hpp"
#include "projections/engine/projector.hpp"

namespace annolog::bench {

class WriteSide {
 public:
  // A new log in `folder`, and read models in a database that has none.
  WriteSide(const std::string& folder, const std::string& database);
  ~WriteSide();
  WriteSide(const WriteSide&) = delete;
  WriteSide& operator=(const WriteSide&) = delete;

  // Sends what `make` says, 64 at a time, until all are answered.
  void send(std::size_t count, const std::function<commands::Envelope(std::size_t)>& make);
  void wait_for_read_models();

  // So many tasks of several projects in turn, each locked by kAnnotator.
  std::vector<TaskId> make_tasks(std::size_t count);
  // Of the records that the log has got since it was last asked.
  std::uint64_t new_bytes();

 private:
  void observe(std::span<commands::CommittedEvent> events);

  platform::SystemClock clock_;
  platform::Logger logger_;
  platform::Metrics metrics_;
  std::unique_ptr<eventstore::EventLog> log_;
  projections::ReadBarrier barrier_;
  std::unique_ptr<projections::Projector> projector_;
  std::unique_ptr<commands::Runtime> runtime_;
  std::vector<eventstore::Offset> counted_;  // by shard
  std::counting_semaphore<> places_;         // of commands under way
  std::mutex mutex_;
  std::vector<std::vector<TaskId>> born_;  // by shard
};

inline constexpr UserId kAnnotator{7};

commands::Envelope envelope_of(commands::Command command);

}  // namespace annolog::bench
