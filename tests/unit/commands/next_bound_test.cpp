// tasks/next reads what it can offer: its reads don't grow with work that is out of the caller's
// reach, and all that is in reach is offered still. The same for the oldest tasks of a batch.
#include <map>

#include "commands/handlers/handlers.hpp"
#include "tests/unit/commands/support/batch_scene.hpp"

namespace annolog::testing::next_bound_test {
namespace {

using S = BatchStatus;
using T = TaskStatus;
using Order = std::vector<std::string>;

BatchRef ref(const BatchView& batch) { return BatchScene::ref(batch); }

// A copy of a shard's state that counts the rows it is asked for.
class CountingState final : public eventstore::StateWriter {
 public:
  explicit CountingState(Dump rows) : rows_(std::move(rows)) {}

  std::optional<std::string> get(std::string_view key) const override {
    ++reads;
    const auto found = rows_.find(std::string(key));
    return found == rows_.end() ? std::nullopt : std::optional(found->second);
  }
  void scan(std::string_view prefix, std::string_view from_key,
            const eventstore::ScanCallback& callback) const override {
    ++reads;
    const std::string start(std::max(prefix, from_key));
    for (auto at = rows_.lower_bound(start); at != rows_.end(); ++at) {
      if (!at->first.starts_with(prefix)) return;
      ++reads;
      if (!callback(at->first, at->second)) return;
    }
  }
  void scan_reverse(std::string_view, std::string_view,
                    const eventstore::ScanCallback&) const override {
    ADD_FAILURE() << "tasks/next reads forward";
  }
  void put(std::string_view key, std::string_view value) override {
    rows_[std::string(key)] = std::string(value);
  }
  void erase(std::string_view key) override { rows_.erase(std::string(key)); }

  mutable int reads = 0;

 private:
  Dump rows_;
};

// What the call reads, with nothing remembered from calls before.
int reads_of_next(const BatchScene& scene, Who who, std::optional<BatchRef> batch = {}) {
  const auto shards = scene.service.log->shard_count();
  const auto shard = commands::shard_of(scene.project.value, shards);
  CountingState rows(scene.service.dump().at(shard.value));
  commands::ShardCache cache;
  commands::ShardState state(rows, cache, shard.value, shards);
  const Context context{who.id, who.role, scene.service.clock.now()};
  const commands::HandlerOptions options{};
  const auto handled =
      commands::handle({state, context, options}, TakeNextTask{scene.project, std::move(batch)});
  EXPECT_TRUE(handled);
  return rows.reads;
}

int reads_of_oldest(const BatchScene& scene, std::size_t count) {
  const auto shards = scene.service.log->shard_count();
  const auto shard = commands::shard_of(scene.project.value, shards);
  CountingState rows(scene.service.dump().at(shard.value));
  commands::ShardCache cache;
  commands::ShardState state(rows, cache, shard.value, shards);
  EXPECT_EQ(state.oldest_unclassified(scene.project, {}, count).size(), count);
  return rows.reads;
}

// `a` begins a task of each of `count` batches and gives its lock back.
std::vector<BatchView> begin_each(BatchScene& scene, int count) {
  std::vector<BatchView> batches;
  for (int i = 0; i < count; ++i) {
    batches.push_back(scene.active(scene.a, 1));
    scene.unlock(scene.next(scene.a, ref(batches.back())).id, scene.a);
  }
  return batches;
}

TEST(NextBound, own_work_where_no_work_happens_is_not_read) {
  const auto reads = [](int count) {
    BatchScene scene(count);
    for (const auto& batch : begin_each(scene, count)) scene.go(batch, S::archived);
    EXPECT_EQ(scene.none(scene.a).reason, "none_assigned");
    return reads_of_next(scene, scene.a);
  };
  EXPECT_EQ(reads(40), reads(2));
}

TEST(NextBound, own_work_that_was_given_to_another_is_not_read) {
  const auto reads = [](int count) {
    BatchScene scene(count);
    for (const auto& batch : begin_each(scene, count)) scene.give(batch, scene.b);
    EXPECT_EQ(scene.none(scene.a).reason, "none_assigned");
    return reads_of_next(scene, scene.a);
  };
  EXPECT_EQ(reads(40), reads(2));
}

TEST(NextBound, own_work_of_other_batches_is_not_read_for_a_named_one) {
  const auto reads = [](int count) {
    BatchScene scene(count + 1);
    const auto named = scene.active(scene.a, 1);
    begin_each(scene, count);
    return reads_of_next(scene, scene.a, ref(named));
  };
  EXPECT_EQ(reads(40), reads(2));
}

TEST(NextBound, batches_with_no_work_left_are_not_read) {
  const auto reads = [](int count) {
    BatchScene scene(count);
    for (int i = 0; i < count; ++i) {
      const auto batch = scene.active(scene.a, 1);
      scene.work_off(scene.a, ref(batch));
      EXPECT_EQ(scene.batch(batch).status, S::reviewing);
    }
    EXPECT_EQ(scene.none(scene.a).reason, "all_done");
    return reads_of_next(scene, scene.a);
  };
  EXPECT_EQ(reads(40), reads(2));
}

TEST(NextBound, others_begun_work_of_a_batch_is_not_read) {
  const auto reads = [](int count) {
    BatchScene scene(count);
    const auto batch = scene.active(std::nullopt, count);
    for (int i = 0; i < count; ++i) {
      scene.unlock(scene.next(scene.b, ref(batch)).id, scene.b);
      const auto next = scene.rows().numbered(i + 2);
      if (next != TaskId{}) {
        scene.service.must<commands::LockGranted>(LockTask{next}, scene.b);
      }
    }
    return reads_of_next(scene, scene.c, ref(batch));
  };
  EXPECT_EQ(reads(40), reads(2));
}

TEST(NextBound, of_the_oldest_tasks_only_those_that_are_taken_are_read) {
  const auto reads = [](int items) {
    BatchScene scene(items);
    for (int i = 0; i < 3; ++i) {
      const auto dataset = scene.service.add_dataset("Films " + std::to_string(i), scene.owner);
      scene.service.add_items(dataset, scene.owner, items);
      scene.service.link(dataset, scene.project, scene.owner);
    }
    return reads_of_oldest(scene, 7);
  };
  EXPECT_EQ(reads(40), reads(7));
  EXPECT_LE(reads(40), 7 + 3 * 4) << "three to find a dataset, not seven of each";
}

TEST(NextBound, what_opens_again_is_offered_again) {
  BatchScene scene(4);
  const auto batches = begin_each(scene, 2);
  for (const auto& batch : batches) scene.go(batch, S::archived);
  EXPECT_EQ(scene.taken(scene.a), "T-3");
  scene.submit(scene.rows().numbered(3), scene.a);
  scene.go(batches[1], S::active);
  EXPECT_EQ(scene.taken(scene.a), "T-2");
  scene.submit(scene.rows().numbered(2), scene.a);
  scene.go(batches[0], S::active);
  EXPECT_EQ(scene.work_off(scene.a), (Order{"T-1", "T-4"}));
  scene.service.expect_refold_gives_the_same();
}

TEST(NextBound, what_comes_back_to_its_annotator_is_offered_again) {
  BatchScene scene(2);
  const auto batch = begin_each(scene, 1).front();
  scene.give(batch, scene.b);
  EXPECT_EQ(scene.taken(scene.b), "T-1");
  scene.give(batch, scene.a);
  EXPECT_EQ(scene.work_off(scene.a), (Order{"T-1", "T-2"}));
  scene.service.expect_refold_gives_the_same();
}

TEST(NextBound, a_rejection_brings_a_batch_in_review_back) {
  BatchScene scene(1);
  const auto batch = scene.active(scene.a, 1);
  scene.work_off(scene.a);
  ASSERT_EQ(scene.batch(batch).status, S::reviewing);
  EXPECT_EQ(scene.none(scene.a).reason, "all_done");
  scene.give(batch, scene.b);  // what waits for review is b's, too
  scene.reject(scene.rows().numbered(1));
  EXPECT_EQ(scene.taken(scene.b), "T-1");
}

// --- Work that a change of people left to nobody.

struct Cleared : BatchScene {
  Cleared() : BatchScene(4) {
    batch = active(a, 3);
    submit(next(a).id, a);
    reject(rows().numbered(1));
    service.must<commands::LockGranted>(LockTask{rows().numbered(2)}, a);
    give(batch, std::nullopt);
  }
  BatchView batch;
};

TEST(NobodysNext, begun_work_is_offered_to_whoever_asks_for_the_batch) {
  Cleared scene;
  EXPECT_EQ(scene.task(1).assignee_id, std::nullopt);
  EXPECT_EQ(scene.task(2).assignee_id, std::nullopt);
  const auto read = scene.next(scene.b, ref(scene.batch));
  EXPECT_EQ(read.display_id, "T-1");
  EXPECT_EQ(read.status, T::rejected) << "its reason is there to be read";
  const auto begun = scene.next(scene.c, ref(scene.batch));
  EXPECT_EQ(begun.display_id, "T-2");
  EXPECT_EQ(begun.assignee_id, scene.c.id);
  scene.submit(read.id, scene.b);
  EXPECT_EQ(scene.task(1).assignee_id, scene.b.id);
  scene.unlock(begun.id, scene.c);
  EXPECT_EQ(scene.taken(scene.b, ref(scene.batch)), "T-3") << "T-2 is c's now";
  EXPECT_EQ(scene.taken(scene.c, ref(scene.batch)), "T-2");
  scene.rows().expect_counted();
  scene.service.expect_refold_gives_the_same();
}

TEST(NobodysNext, rejected_work_that_its_reader_left_is_offered_again) {
  Cleared scene;
  const auto read = scene.next(scene.b, ref(scene.batch));
  scene.unlock(read.id, scene.b);
  EXPECT_EQ(scene.taken(scene.c, ref(scene.batch)), "T-1");
}

TEST(NobodysNext, it_goes_to_the_next_annotator) {
  Cleared scene;
  scene.give(scene.batch, scene.b);
  EXPECT_EQ(scene.work_off(scene.b), (Order{"T-1", "T-2", "T-3", "T-4"}));
}

TEST(NobodysNext, it_is_offered_to_all_once_the_batch_is_gone) {
  Cleared scene;
  scene.remove(scene.batch);
  EXPECT_EQ(scene.taken(scene.b), "T-1");
  EXPECT_EQ(scene.work_off(scene.c), (Order{"T-2", "T-3", "T-4"})) << "b reads T-1";
  EXPECT_EQ(scene.work_off(scene.b), Order{"T-1"});
  scene.service.expect_refold_gives_the_same();
}

}  // namespace
}  // namespace annolog::testing::next_bound_test
