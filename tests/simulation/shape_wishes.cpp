// What the users of a simulation wish of shapes and classes.
#include "commands/state/key.hpp"
#include "domain/codec/binary.hpp"
#include "tests/simulation/simulation.hpp"

namespace annolog::testing {
namespace {

constexpr const char* kNames[] = {"car", "bus", "tram", "van"};  // of two classes, by turns

}  // namespace

// Most often one that is known.
std::string Simulation::some_class() {
  if (chance(85)) return model_.classes[pick(model_.classes.size())];
  return kNames[pick(std::size(kNames))];
}

// One whose task is worked on, if there is one; 0: none.
std::int64_t Simulation::some_shape(bool deleted) {
  std::vector<std::int64_t> all, at_work;
  for (const auto& [id, shape] : model_.shapes) {
    if (shape.deleted != deleted) continue;
    all.push_back(id);
    if (model_.tasks[shape.task].status != "completed") at_work.push_back(id);
  }
  const auto& found = at_work.empty() ? all : at_work;
  return found.empty() ? 0 : found[random_() % found.size()];
}

// Most often somebody who may change the task's shapes.
std::size_t Simulation::worker_on(std::size_t t, std::size_t u) {
  if (chance(40)) return u;
  const ModelTask& task = model_.tasks[t];
  const bool waits = task.status == "submitted" || task.status == "review";
  for (std::size_t i = 0; i < users_.size(); ++i)
    if (waits ? users_[i].rank == 2 : users_[i].id == task.assignee) return i;
  return u;
}

void Simulation::annotate(std::size_t u, std::size_t t, bool submit) {
  // Work gets done at all when the one who holds the task goes on with it.
  const auto& lock = model_.tasks[t].lock;
  if (lock && chance(50)) {
    for (std::size_t i = 0; i < users_.size(); ++i) u = users_[i].id == lock->user ? i : u;
  }
  AddAnnotations wish{ids_[t], {}, submit};
  std::vector<std::string> names;
  for (std::size_t i = pick(4); i > 0; --i) {
    Shape shape;
    shape.class_name = names.emplace_back(some_class());
    shape.geometry = Bbox{0.1, 0.1, 0.5, 0.5};
    wish.shapes.push_back(std::move(shape));
  }
  const auto outcome = call(wish, whos_[u]);
  EXPECT_EQ(Service::code(outcome), model_.annotate(users_[u], model_.tasks[t], names, submit))
      << "annotations on T-" << t + 1 << " by user " << users_[u].id;
  if (!outcome.reply) return;
  const auto& added = std::get<commands::AnnotationsAdded>(outcome.reply.value());
  compare(added.task, t);
  ASSERT_EQ(added.annotations.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& annotation = added.annotations[i];
    const std::size_t class_of = *model_.class_called(names[i]);
    model_.shapes[annotation.id.value] = {.task = t, .class_of = class_of};
    compare_shape(annotation.id.value);
  }
}

void Simulation::edit(std::size_t u) {
  const auto id = some_shape(chance(5));
  if (id == 0) return;
  ModelShape& shape = model_.shapes.at(id);
  const std::size_t t = shape.task;
  u = worker_on(t, u);
  ModelEdit expected;
  UpdateAnnotation wish;
  wish.task_id = ids_[t];
  wish.annotation_id = AnnotationId{id};
  if (chance(40)) {
    expected.version = chance(70) ? shape.version : shape.version - 1;
    wish.expected_version = {{*expected.version}};
  }
  if (chance(50)) wish.class_name = expected.class_name = some_class();
  if (chance(50)) {
    expected.moves = true;
    wish.geometry = Bbox{0.1, 0.1, 0.2, 0.2 + 1e-6 * static_cast<double>(++moves_)};
  }
  const auto outcome = call(wish, whos_[u]);
  const std::int64_t before = shape.version;
  EXPECT_EQ(Service::code(outcome), model_.edit(users_[u], model_.tasks[t], shape, expected))
      << "an edit on T-" << t + 1 << " by user " << users_[u].id;
  if (shape.version != before) ++met_["edited"];
  compare_shape(id);
  compare_task(*service_.log->state(shard()), t);
}

void Simulation::remove(std::size_t u) {
  const auto id = some_shape(false);
  if (id == 0) return;
  ModelShape& shape = model_.shapes.at(id);
  const std::size_t t = shape.task;
  u = worker_on(t, u);
  const DeleteAnnotation wish{ids_[t], AnnotationId{id}, std::nullopt};
  const auto outcome = call(wish, whos_[u]);
  EXPECT_EQ(Service::code(outcome), model_.remove_one(users_[u], model_.tasks[t], shape));
  compare_shape(id);
  compare_task(*service_.log->state(shard()), t);
  if (outcome.reply) EXPECT_EQ(Service::code(service_.call(wish, whos_[u])), "NOT_FOUND");
}

void Simulation::restore(std::size_t u) {
  const auto id = some_shape(true);
  if (id == 0) return;
  ModelShape& shape = model_.shapes.at(id);
  const std::size_t t = shape.task;
  u = worker_on(t, u);
  const RestoreAnnotation wish{ids_[t], AnnotationId{id}, std::nullopt};
  const auto outcome = call(wish, whos_[u]);
  EXPECT_EQ(Service::code(outcome), model_.restore_one(users_[u], model_.tasks[t], shape));
  compare_shape(id);
  compare_task(*service_.log->state(shard()), t);
  if (!outcome.reply) return;
  ++met_["restored"];
  EXPECT_EQ(Service::code(service_.call(wish, whos_[u])), "ANNOTATION_NOT_DELETED");
}

void Simulation::rename_class(std::size_t u) {
  const std::string from = some_class();
  const std::string to = kNames[pick(std::size(kNames))];
  const bool changes = from != to;
  const auto outcome = call(RenameClass{project_, from, to}, whos_[u]);
  EXPECT_EQ(Service::code(outcome), model_.rename_class(users_[u], from, to))
      << from << " to " << to << " by user " << users_[u].id;
  if (outcome.reply && changes) ++met_["class renamed"];
}

void Simulation::compare_shape(std::int64_t id) {
  const ModelShape& shape = model_.shapes.at(id);
  const auto row =
      commands::Key(commands::Table::annotation).id(ids_[shape.task]).id(AnnotationId{id}).bytes();
  const auto bytes = service_.log->state(shard())->get(row);
  ASSERT_TRUE(bytes) << "shape " << id;
  const auto kept = codec::from_binary<AnnotationState>(*bytes);
  EXPECT_EQ(kept.version, shape.version);
  const auto [known, is_new] = class_ids_.try_emplace(shape.class_of, kept.class_id);
  EXPECT_EQ(kept.class_id, known->second) << "a class keeps its id, whatever it is called";
  EXPECT_EQ(kept.deleted_at.has_value(), shape.deleted);
}

}  // namespace annolog::testing
