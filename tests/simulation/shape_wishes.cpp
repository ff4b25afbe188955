// What the users of a simulation wish of shapes and classes.
#include <algorithm>

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

// One whose task is worked on, if there is one, and most often somebody who may change it.
std::optional<Simulation::OnShape> Simulation::some_shape(std::size_t u, bool deleted) {
  std::vector<std::int64_t> all, at_work;
  for (const auto& [id, shape] : model_.shapes) {
    if (shape.deleted != deleted) continue;
    all.push_back(id);
    if (model_.tasks[shape.task].status != "completed") at_work.push_back(id);
  }
  const auto& found = at_work.empty() ? all : at_work;
  if (found.empty()) return std::nullopt;
  const std::int64_t id = found[pick(found.size())];
  const std::size_t t = model_.shapes.at(id).task;
  return OnShape{id, t, chance(40) ? u : worker_on(t, u)};
}

std::size_t Simulation::worker_on(std::size_t t, std::size_t otherwise) const {
  const ModelTask& task = model_.tasks[t];
  if (task.status != "submitted" && task.status != "review")
    return place_of(task.assignee, otherwise);
  const auto reviewer = std::ranges::find(users_, 2, &ModelUser::rank);
  return reviewer == users_.end() ? otherwise : static_cast<std::size_t>(reviewer - users_.begin());
}

// `expect(user, task, shape)` is the model's word. True: the wish was granted.
template <class Expect>
bool Simulation::change(const Command& wish, const OnShape& on, Expect expect) {
  const auto outcome = call(wish, whos_[on.user]);
  EXPECT_EQ(Service::code(outcome),
            expect(users_[on.user], model_.tasks[on.task], model_.shapes.at(on.id)))
      << "command " << wish.index() << " on T-" << on.task + 1 << " by user " << users_[on.user].id;
  compare_shape(on.id);
  compare_task(*service_.log->state(shard()), on.task);
  return static_cast<bool>(outcome.reply);
}

void Simulation::annotate(std::size_t u, std::size_t t, bool submit) {
  // Work gets done at all when the one who holds the task goes on with it.
  const auto& lock = model_.tasks[t].lock;
  if (lock && chance(50)) u = place_of(lock->user, u);
  AddAnnotations wish{ids_[t], {}, submit};
  std::vector<std::string> names;
  for (std::size_t i = pick(4); i > 0; --i) {
    Shape shape;
    shape.class_name = names.emplace_back(some_class());
    shape.geometry = Bbox{0.1, 0.1, 0.5, 0.5};
    wish.shapes.push_back(std::move(shape));
  }
  const auto outcome = call(wish, whos_[u]);
  EXPECT_EQ(Service::code(outcome),
            model_.tasks[t].gone ? "NOT_FOUND"
                                 : model_.annotate(users_[u], model_.tasks[t], names, submit))
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
  const auto on = some_shape(u, chance(5));
  if (!on) return;
  const std::int64_t before = model_.shapes.at(on->id).version;
  ModelEdit expected;
  UpdateAnnotation wish;
  wish.task_id = ids_[on->task];
  wish.annotation_id = AnnotationId{on->id};
  if (chance(40)) {
    expected.version = chance(70) ? before : before - 1;
    wish.expected_version = {{*expected.version}};
  }
  if (chance(50)) wish.class_name = expected.class_name = some_class();
  if (chance(50)) {
    expected.moves = true;
    wish.geometry = Bbox{0.1, 0.1, 0.2, 0.2 + 1e-6 * static_cast<double>(++moves_)};
  }
  change(wish, *on, [&](const ModelUser& user, ModelTask& task, ModelShape& shape) {
    return model_.edit(user, task, shape, expected);
  });
  if (model_.shapes.at(on->id).version != before) ++met_["edited"];
}

void Simulation::remove(std::size_t u) {
  const auto on = some_shape(u, false);
  if (!on) return;
  const DeleteAnnotation wish{ids_[on->task], AnnotationId{on->id}, std::nullopt};
  const auto expect = [&](const ModelUser& user, ModelTask& task, ModelShape& shape) {
    return model_.remove_one(user, task, shape);
  };
  if (change(wish, *on, expect))
    EXPECT_EQ(Service::code(service_.call(wish, whos_[on->user])), "NOT_FOUND");
}

void Simulation::restore(std::size_t u) {
  const auto on = some_shape(u, true);
  if (!on) return;
  const RestoreAnnotation wish{ids_[on->task], AnnotationId{on->id}, std::nullopt};
  const auto expect = [&](const ModelUser& user, ModelTask& task, ModelShape& shape) {
    return model_.restore_one(user, task, shape);
  };
  if (!change(wish, *on, expect)) return;
  ++met_["restored"];
  EXPECT_EQ(Service::code(service_.call(wish, whos_[on->user])), "ANNOTATION_NOT_DELETED");
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
