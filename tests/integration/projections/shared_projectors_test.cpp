// Projectors of several nodes share the shards of one log over one database, and shards move.
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "tests/integration/projections/samples.hpp"
#include "tests/integration/projections/world.hpp"

namespace annolog::projections::testing::shared_projectors_test {
namespace {

using eventstore::Offset;
using eventstore::ShardId;

constexpr std::int64_t kHandOverMs = 60'000;
constexpr std::int64_t kTasks = 10;

struct NodeProjector {
  explicit NodeProjector(World& world)
      : projector({*world.log, barrier, world.clock, world.logger, metrics, world.unseal},
                  options(world)) {
    projector.on_commit([this](std::span<const AppliedEvent> events) {
      for (const AppliedEvent& event : events) {
        const auto at = event.record->position;
        EXPECT_GT(at.offset, last_heard[at.shard.value]) << "told twice, or out of order";
        last_heard[at.shard.value] = at.offset;
        ++heard;
      }
    });
    projector.start();
  }
  static ProjectorOptions options(const World& world) {
    ProjectorOptions options;
    options.database_url = world.database.url();
    options.batch_records = 7;
    options.gather_ms = 0;
    options.one_of_many = true;
    options.retry_least_ms = 1;
    options.retry_most_ms = 20;
    return options;
  }
  void assign(std::uint16_t shard) { projector.assign(std::array{ShardId{shard}}); }
  void revoke(std::uint16_t shard) { projector.revoke(std::array{ShardId{shard}}, kHandOverMs); }

  platform::Metrics metrics;
  ReadBarrier barrier{kShards};
  std::vector<Offset> last_heard = std::vector<Offset>(kShards);
  std::atomic<std::uint64_t> heard{0};
  Projector projector;  // last: its thread uses the others
};

ProjectId project_of(std::uint16_t shard) { return ProjectId{kShards + shard}; }
TaskId task_of(std::uint16_t shard, std::int64_t index) {
  return TaskId{1'000 * (shard + 1) + index};
}

void start_projects(World& world) {
  for (std::uint16_t shard = 0; shard < kShards; ++shard)
    world.append(shard, {project_created(project_of(shard)),
                         tasks_created(task_of(shard, 0).value, kTasks, project_of(shard))});
}

// Two boxes on a task: counts and versions tell a lost or doubled event.
void annotate(World& world, std::uint16_t shard, std::int64_t round) {
  const std::int64_t first = 100'000 * (shard + 1) + round * 2;
  TaskAnnotationsAdded event{
      project_of(shard), task_of(shard, round % kTasks), {box(first), box(first + 1)}};
  world.append(shard, {event}, {7, kStartMs + round});
}

// The database's own word: everything that the log has is in it.
bool is_settled(World& world) {
  std::uint64_t ends = 0;
  for (std::uint16_t i = 0; i < kShards; ++i) ends += world.log->end(ShardId{i}).value;
  return ask(world.database.url(), "SELECT sum(position) FROM annolog.checkpoints") ==
         std::to_string(ends);
}

void settle(World& world, std::initializer_list<const NodeProjector*> nodes) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!is_settled(world)) {
    std::string details;
    for (const NodeProjector* node : nodes) details += node->projector.detail() + "; ";
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << details;
    std::this_thread::yield();
  }
}

void expect_rows_of_a_single_projector(World& world) {
  const std::string shared = world.dump();
  world.rebuild();
  EXPECT_EQ(world.dump(), shared);
}

class Writer {
 public:
  Writer(World& world, std::int64_t rounds)
      : thread_([&world, rounds, this] {
          for (std::int64_t round = 0; round < rounds; ++round)
            for (std::uint16_t shard = 0; shard < kShards; ++shard) annotate(world, shard, round);
          done_ = true;
        }) {}
  ~Writer() { join(); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  bool done() const { return done_; }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::atomic<bool> done_{false};
  std::thread thread_;
};

TEST(SharedProjectors, apply_nothing_before_they_are_told_to) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  start_projects(world);
  NodeProjector node(world);
  node.assign(2);
  while (node.barrier.applied(ShardId{2}) < Offset{2}) std::this_thread::yield();
  EXPECT_EQ(ask(world.database.url(), "SELECT sum(position) FROM annolog.checkpoints"), "2");
  EXPECT_EQ(ask(world.database.url(), "SELECT count(*) FROM projects"), "1");
  EXPECT_EQ(node.projector.lag_records(), 0U) << "others' shards are not its delay";
  EXPECT_EQ(node.heard, 2U);
}

TEST(SharedProjectors, shards_move_while_events_come) {
  ANNOLOG_NEEDS_POSTGRESQL();
  constexpr std::int64_t kRounds = 300;
  World world;
  start_projects(world);
  NodeProjector a(world);
  NodeProjector b(world);
  std::array<NodeProjector*, kShards> owner{&a, &b, &a, &b};
  for (std::uint16_t shard = 0; shard < kShards; ++shard) owner[shard]->assign(shard);
  Writer writer(world, kRounds);
  std::uint16_t moving = 0;
  for (int moves = 0; moves < 20 || !writer.done(); ++moves) {
    NodeProjector* to = owner[moving] == &a ? &b : &a;
    owner[moving]->revoke(moving);
    to->assign(moving);
    owner[moving] = to;
    moving = static_cast<std::uint16_t>((moving + 1) % kShards);
  }
  writer.join();
  settle(world, {&a, &b});
  EXPECT_EQ(ask(world.database.url(), "SELECT sum(annotation_count) FROM tasks"),
            std::to_string(kRounds * 2 * kShards));
  EXPECT_EQ(ask(world.database.url(), "SELECT sum(version) FROM tasks"),
            std::to_string((kRounds + kTasks) * kShards));
  EXPECT_EQ(ask(world.database.url(), "SELECT count(*) FROM annolog.parked_events"), "0");
  a.projector.stop();
  b.projector.stop();
  expect_rows_of_a_single_projector(world);
}

TEST(SharedProjectors, two_that_both_believe_to_own_all_count_once) {
  ANNOLOG_NEEDS_POSTGRESQL();
  constexpr std::int64_t kRounds = 100;
  World world;
  start_projects(world);
  NodeProjector a(world);
  NodeProjector b(world);
  for (std::uint16_t shard = 0; shard < kShards; ++shard) {
    a.assign(shard);
    b.assign(shard);
  }
  Writer writer(world, kRounds);
  writer.join();
  settle(world, {&a, &b});
  EXPECT_EQ(ask(world.database.url(), "SELECT sum(annotation_count) FROM tasks"),
            std::to_string(kRounds * 2 * kShards));
  EXPECT_EQ(ask(world.database.url(), "SELECT count(*) FROM annolog.parked_events"), "0");
  a.projector.stop();
  b.projector.stop();
  expect_rows_of_a_single_projector(world);
}

TEST(SharedProjectors, after_a_revoke_no_batch_of_the_shard_comes) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  start_projects(world);
  NodeProjector node(world);
  // The row itself comes with the projector's first session, whatever it owns then.
  constexpr const char* kPosition =
      "SELECT coalesce(max(position), 0) FROM annolog.checkpoints WHERE shard = 1";
  for (std::int64_t round = 0; round < 30; ++round) {
    node.assign(1);
    annotate(world, 1, round);
    node.revoke(1);
    const std::string at = ask(world.database.url(), kPosition);
    annotate(world, 1, 100 + round);
    annotate(world, 2, round);
    node.assign(2);
    const Offset end = world.log->end(ShardId{2});
    while (node.barrier.applied(ShardId{2}) < end) std::this_thread::yield();
    EXPECT_EQ(ask(world.database.url(), kPosition), at);
    node.revoke(2);
  }
}

TEST(SharedProjectors, a_revoke_without_postgresql_ends_in_its_time) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  start_projects(world);
  NodeProjector node(world);
  node.assign(1);
  while (node.barrier.applied(ShardId{1}) < Offset{2}) std::this_thread::yield();
  const auto blocker = connect_to(world.database.url());
  blocker->run("BEGIN; SELECT 1 FROM annolog.read_models FOR UPDATE");
  annotate(world, 1, 0);
  const std::string waits =
      "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'annolog-projector' AND "
      "wait_event_type = 'Lock' AND datname = current_database()";
  while (ask(world.database.url(), waits) == "0") std::this_thread::yield();
  node.projector.revoke(std::array{ShardId{1}}, 50);
  NodeProjector other(world);
  other.assign(1);
  blocker->run("ROLLBACK");
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (other.barrier.applied(ShardId{1}) < Offset{3} &&
         std::chrono::steady_clock::now() < deadline)
    std::this_thread::yield();
  EXPECT_EQ(
      ask(world.database.url(), "SELECT sum(annotation_count) FROM tasks WHERE project_id = 5"),
      "2");
}

TEST(SharedProjectors, a_log_that_is_shorter_here_is_no_reason_to_rebuild) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  start_projects(world);
  connect_to(world.database.url());
  world.start();
  world.settle();
  world.stop();
  connect_to(world.database.url())->run("UPDATE annolog.checkpoints SET position = 50");
  NodeProjector node(world);
  node.assign(0);
  while (!node.projector.healthy()) std::this_thread::yield();
  EXPECT_EQ(world.logged("rebuil"), 0U);
  EXPECT_EQ(ask(world.database.url(), "SELECT min(position) FROM annolog.checkpoints"), "50");
}

}  // namespace
}  // namespace annolog::projections::testing::shared_projectors_test
