// What the users of a simulation wish of batches.
#include "tests/simulation/simulation.hpp"

namespace annolog::testing {
namespace {

constexpr std::size_t kLiveBatches = 6;

Patch<UserId> patch(const std::optional<std::int64_t>& person) {
  if (!person) return {};
  return *person == 0 ? Patch<UserId>::null() : Patch<UserId>(UserId{*person});
}

BatchStatus status_of(const std::string& name) {
  for (const auto status : {BatchStatus::draft, BatchStatus::active, BatchStatus::annotating,
                            BatchStatus::reviewing, BatchStatus::approved, BatchStatus::rejected}) {
    if (name == to_string(status)) return status;
  }
  return BatchStatus::archived;
}

}  // namespace

void Simulation::batch_step() {
  const auto u = boss();
  const auto dice = pick(100);
  if (batch_ids_.empty() || dice < 14) {
    return live_batches() < kLiveBatches ? create_batch(u) : remove_batch(u, some_batch());
  }
  if (dice < 24) return fill(u, some_batch());
  if (dice < 30) return take_out(u, some_batch());
  if (dice < 42) return assign(u, some_batch());
  if (dice < 74) return move(u, some_batch());
  if (dice < 78) return reset(u, some_batch());
  if (dice < 81) return remove_batch(u, some_batch());
  if (dice < 89) return change_many(u);
  if (dice < 95) return reassign_many(u);
  distribute(u);
}

std::size_t Simulation::boss() { return chance(55) ? 0 : pick(users_.size()); }

std::size_t Simulation::live_batches() const {
  std::size_t count = 0;
  for (const auto& batch : model_.batches) count += batch.gone ? 0U : 1U;
  return count;
}

// Most often one that is there.
std::size_t Simulation::some_batch() {
  std::size_t found = pick(batch_ids_.size());
  const bool any = chance(5);
  for (std::size_t i = 0; i < batch_ids_.size() && !any && model_.batches[found].gone; ++i) {
    found = (found + 1) % batch_ids_.size();
  }
  return found;
}

std::vector<std::size_t> Simulation::some_batches() {
  std::vector<std::size_t> found;
  for (auto count = 1 + pick(4); count > 0; --count) found.push_back(some_batch());
  return found;
}

BatchRef Simulation::ref(std::size_t batch) {
  if (chance(50)) return {batch_ids_[batch].value, 0, {}};
  return {0, static_cast<std::int64_t>(batch) + 1, {}};
}

ModelPeople Simulation::some_people() {
  const auto one = [&](int least) -> std::optional<std::int64_t> {
    if (chance(30)) return std::nullopt;
    if (chance(25)) return 0;
    auto at = pick(users_.size());
    const bool anybody = chance(10);
    while (!anybody && users_[at].rank < least) at = pick(users_.size());
    return users_[at].id;
  };
  ModelPeople people;
  people.annotator = one(1);
  people.reviewer = one(2);
  return people;
}

// Some that stand there, now and then any.
std::vector<std::size_t> Simulation::some_tasks(std::size_t batch) {
  std::vector<std::size_t> found;
  const bool any = chance(25);
  for (std::size_t tries = 1 + pick(3) * 3; tries > 0; --tries) {
    const auto t = pick(ids_.size());
    if (model_.tasks[t].gone) continue;
    if (any || model_.tasks[t].batch == batch) found.push_back(t);
  }
  return found;
}

std::vector<TaskId> Simulation::ids_of(const std::vector<std::size_t>& tasks) const {
  std::vector<TaskId> ids;
  for (const auto t : tasks) ids.push_back(ids_[t]);
  return ids;
}

void Simulation::check_batch(const Outcome& outcome, const std::string& expected, std::size_t b) {
  EXPECT_EQ(Service::code(outcome), expected) << "on B-" << b + 1;
  if (!outcome.reply || expected != "ok") return;
  compare(std::get<BatchView>(outcome.reply.value()), b);
  const auto state = service_.log->state(shard());
  for (std::size_t t = 0; t < ids_.size(); ++t) {
    if (model_.tasks[t].batch == b) compare_task(*state, t);
  }
}

void Simulation::create_batch(std::size_t u) {
  ModelPeople people = some_people();
  CreateBatch wish;
  wish.project_id = project_;
  if (people.annotator.value_or(0) != 0) wish.annotator_id = UserId{*people.annotator};
  if (people.reviewer.value_or(0) != 0) wish.reviewer_id = UserId{*people.reviewer};
  std::vector<std::size_t> chosen;
  const auto dice = pick(10);
  if (dice < 5) {
    const auto count = 1 + pick(4);
    chosen = model_.oldest_unclassified(count);
    wish.task_count = static_cast<std::int64_t>(count);
  } else if (dice < 9) {
    chosen = some_tasks(kNoBatch);
    wish.task_ids = ids_of(chosen);
  }
  const auto outcome = call(wish, whos_[u]);
  const auto expected = model_.create(users_[u], people, chosen);
  EXPECT_EQ(Service::code(outcome), expected);
  if (!outcome.reply || expected != "ok") return;
  batch_ids_.push_back(std::get<BatchView>(outcome.reply.value()).id);
  check_batch(outcome, expected, batch_ids_.size() - 1);
}

void Simulation::fill(std::size_t u, std::size_t b) {
  AddBatchTasks wish;
  wish.project_id = project_;
  wish.batch = ref(b);
  std::vector<std::size_t> chosen;
  if (chance(40)) {
    chosen = model_.oldest_unclassified(2);
    wish.task_count = 2;
  } else {
    chosen = some_tasks(chance(80) ? kNoBatch : b);
    wish.task_ids = ids_of(chosen);
  }
  const auto outcome = call(wish, whos_[u]);
  check_batch(outcome, model_.add(users_[u], b, chosen), b);
}

void Simulation::take_out(std::size_t u, std::size_t b) {
  const auto chosen = some_tasks(b);
  RemoveBatchTasks wish;
  wish.project_id = project_;
  wish.batch = ref(b);
  wish.task_ids = ids_of(chosen);
  const auto outcome = call(wish, whos_[u]);
  check_batch(outcome, model_.take_out(users_[u], b, chosen), b);
  const auto state = service_.log->state(shard());
  for (const auto t : chosen) compare_task(*state, t);
}

void Simulation::assign(std::size_t u, std::size_t b) {
  const auto people = some_people();
  UpdateBatch wish;
  wish.project_id = project_;
  wish.batch = ref(b);
  wish.annotator_id = patch(people.annotator);
  wish.reviewer_id = patch(people.reviewer);
  const auto outcome = call(wish, whos_[u]);
  check_batch(outcome, model_.assign(users_[u], b, people), b);
}

void Simulation::move(std::size_t u, std::size_t b) {
  static const std::vector<std::string> kAll = {"draft",    "active",   "annotating", "reviewing",
                                                "approved", "rejected", "archived"};
  auto ways = Model::ways_from(model_.batches[b].status);
  if (chance(20)) ways = kAll;
  ModelMove go{ways[pick(ways.size())], {}, {}};
  if (go.to == "archived" && chance(70)) go.to = ways.front();  // else nothing would stay
  if (chance(60)) go.reason = chance(95) ? "because" : std::string(501, 'r');
  if (chance(60)) go.feedback = chance(95) ? "better" : std::string(2001, 'f');
  const MoveBatch wish{project_, ref(b), status_of(go.to), go.reason, go.feedback};
  const auto outcome = call(wish, whos_[u]);
  check_batch(outcome, model_.move(users_[u], b, go), b);
}

void Simulation::reset(std::size_t u, std::size_t b) {
  const std::string reason = chance(80) ? "begin once more" : "too short";
  const auto outcome = call(ResetBatch{project_, ref(b), reason}, whos_[u]);
  const auto expected = model_.reset(users_[u], b, reason);
  if (expected == "ok") ++met_["reset"];
  check_batch(outcome, expected, b);
}

void Simulation::remove_batch(std::size_t u, std::size_t b) {
  const auto outcome = call(DeleteBatch{project_, ref(b), {}}, whos_[u]);
  EXPECT_EQ(Service::code(outcome), model_.remove(users_[u], b)) << "on B-" << b + 1;
}

std::vector<BatchRef> Simulation::refs(const std::vector<std::size_t>& named, bool with_default) {
  std::vector<BatchRef> found;
  if (with_default) found.push_back({0, 0, std::string(kDefaultBatch)});
  for (const auto b : named) found.push_back(ref(b));
  return found;
}

void Simulation::compare(const BulkOutcome& given, const ModelBulk& expected, bool with_default) {
  const auto named = [&](const BatchRef& batch) -> std::size_t {
    if (batch.number != 0) return static_cast<std::size_t>(batch.number) - 1;
    for (std::size_t b = 0; b < batch_ids_.size(); ++b) {
      if (batch_ids_[b].value == batch.id) return b;
    }
    return kNoBatch;
  };
  ModelBulk found;
  bool skipped_default = false;
  for (const auto id : given.succeeded) found.succeeded.push_back(named({id.value, 0, {}}));
  for (const auto& one : given.skipped) {
    if (one.batch_id.text == kDefaultBatch) {
      skipped_default = true;
    } else {
      found.skipped.push_back(named(one.batch_id));
    }
  }
  for (const auto& one : given.failed) found.failed.emplace_back(named(one.batch_id), one.code);
  EXPECT_EQ(found.succeeded, expected.succeeded);
  EXPECT_EQ(found.skipped, expected.skipped);
  EXPECT_EQ(found.failed, expected.failed);
  EXPECT_EQ(skipped_default, with_default);
  for (const auto& [b, code] : expected.failed) ++met_[code];
}

void Simulation::change_many(std::size_t u) {
  const auto named = some_batches();
  const bool with_default = chance(20);
  const auto dice = pick(10);
  const auto action = dice < 6   ? BulkAction::activate
                      : dice < 8 ? BulkAction::archive
                                 : BulkAction::remove;
  const std::string name = dice < 6 ? "activate" : dice < 8 ? "archive" : "remove";
  const auto outcome = call(ChangeBatches{project_, action, refs(named, with_default)}, whos_[u]);
  ModelBulk expected;
  EXPECT_EQ(Service::code(outcome), model_.change_many(users_[u], name, named, expected));
  if (!outcome.reply) return;
  met_["bulk done"] += static_cast<int>(expected.succeeded.size());
  met_["bulk failed"] += static_cast<int>(expected.failed.size());
  compare(std::get<BulkOutcome>(outcome.reply.value()), expected, with_default);
}

void Simulation::reassign_many(std::size_t u) {
  const auto named = some_batches();
  const auto people = some_people();
  const bool with_default = chance(20);
  ReassignBatches wish;
  wish.project_id = project_;
  wish.batches = refs(named, with_default);
  wish.annotator_id = patch(people.annotator);
  wish.reviewer_id = patch(people.reviewer);
  const auto outcome = call(wish, whos_[u]);
  ModelBulk expected;
  EXPECT_EQ(Service::code(outcome), model_.reassign_many(users_[u], named, people, expected));
  if (!outcome.reply) return;
  ++met_[expected.failed.empty() ? "reassigned" : "reassigned nothing"];
  compare(std::get<BulkOutcome>(outcome.reply.value()), expected, with_default);
}

void Simulation::distribute(std::size_t u) {
  std::vector<std::int64_t> annotators, reviewers;
  for (auto count = pick(3); count > 0; --count) {
    const auto people = some_people();
    if (people.annotator.value_or(0) != 0) annotators.push_back(*people.annotator);
    if (people.reviewer.value_or(0) != 0) reviewers.push_back(*people.reviewer);
  }
  const bool all = chance(50);
  DistributeBatches wish;
  wish.project_id = project_;
  wish.scope = all ? DistributeScope::all : DistributeScope::unassigned;
  for (const auto one : annotators) wish.annotator_ids.emplace_back(one);
  for (const auto one : reviewers) wish.reviewer_ids.emplace_back(one);
  const auto outcome = call(wish, whos_[u]);
  std::vector<std::size_t> dealt;
  EXPECT_EQ(Service::code(outcome),
            model_.distribute(users_[u], annotators, reviewers, all, dealt));
  if (!outcome.reply) return;
  ++met_["distributed"];
  const auto& given = std::get<DistributeOutcome>(outcome.reply.value()).assignments;
  ASSERT_EQ(given.size(), dealt.size());
  for (std::size_t i = 0; i < dealt.size(); ++i) {
    EXPECT_EQ(given[i].batch_id, batch_ids_[dealt[i]]);
    const auto& batch = model_.batches[dealt[i]];
    EXPECT_EQ(given[i].annotator_id.value_or(UserId{}).value, batch.annotator);
    EXPECT_EQ(given[i].reviewer_id.value_or(UserId{}).value, batch.reviewer);
  }
}

}  // namespace annolog::testing
