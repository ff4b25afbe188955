// A log in memory, a migrated database, a projector and a read pool: events in, rows out.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "domain/codec/events.hpp"
#include "domain/events.hpp"
#include "eventstore/memory/memory_log.hpp"
#include "platform/clock.hpp"
#include "platform/log.hpp"
#include "platform/metrics.hpp"
#include "projections/engine/migrator.hpp"
#include "projections/engine/projector.hpp"
#include "projections/engine/rebuild.hpp"
#include "projections/queries/read_pool.hpp"
#include "tests/integration/projections/database.hpp"

namespace annolog::projections::testing {

inline constexpr std::uint16_t kShards = 4;
inline constexpr std::int64_t kStartMs = 1'750'000'000'000;

struct By {
  std::int64_t actor = 7;
  std::int64_t at_ms = kStartMs;
};

class World {
 public:
  explicit World(std::size_t batch_records = 2'000, std::int64_t gather_ms = 0);
  ~World();

  // One command's events, in one atomic append.
  void append(std::uint16_t shard, const std::vector<Event>& events, By by = {});
  void append_raw(std::uint16_t shard, eventstore::RecordHeaders headers, std::string data);

  void start();
  void stop();
  // Returns when everything appended so far is in the read models; fails the test after a minute.
  void settle();
  RebuildReport rebuild();
  // All rows of the read models of a schema, as text, in a fixed order.
  std::string dump(const std::string& schema = "read_live");
  std::size_t logged(const std::string& text);

  Database database;
  std::unique_ptr<eventstore::EventLog> log = eventstore::open_memory_log(kShards);
  platform::SystemClock clock;
  std::mutex lines_mutex;
  std::vector<std::string> lines;
  platform::Logger logger;
  platform::Metrics metrics;
  ReadBarrier barrier{kShards};
  std::unique_ptr<Projector> projector;
  std::unique_ptr<ReadPool> pool;
  std::vector<CommitListener> listeners;
  Unseal unseal;
  std::optional<Positions> known;                               // by the listeners, before start()
  std::int64_t settle_tasks = ProjectorOptions{}.settle_tasks;  // before start()
  std::int64_t settle_step = ProjectorOptions{}.settle_step;    // before start()
  std::size_t births_max = ProjectorOptions{}.births_max;       // before start()
  std::int64_t busy_per_s = ProjectorOptions{}.busy_per_s;      // before start()

 private:
  std::size_t batch_records_;
  std::int64_t gather_ms_;
};

}  // namespace annolog::projections::testing
