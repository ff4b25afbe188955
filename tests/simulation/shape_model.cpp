// Shapes and the classes they are of, in the model (spec, "Annotation", "Tasks and annotations";
// decisions, section 5).
#include <algorithm>

#include "tests/simulation/model.hpp"

namespace annolog::testing {
namespace {

void take_up(const ModelUser& user, ModelTask& task) {
  if (task.status != "rejected") return;
  task.status = "in_progress";
  if (task.assignee == 0) task.assignee = user.id;
}

}  // namespace

std::optional<std::size_t> Model::class_called(const std::string& name) const {
  const auto found = std::find(classes.begin(), classes.end(), name);
  if (found == classes.end()) return std::nullopt;
  return static_cast<std::size_t>(found - classes.begin());
}

std::int64_t Model::uses_of(std::size_t class_of) const {
  return std::count_if(shapes.begin(), shapes.end(), [&](const auto& shape) {
    return shape.second.class_of == class_of && !shape.second.deleted;
  });
}

// Work on shapes begins the batch; of a rejected task it takes up the work again.
void Model::touch(const ModelUser& user, ModelTask& task) {
  take_up(user, task);
  begin(task);
}

std::string Model::annotate(const ModelUser& user, ModelTask& task,
                            const std::vector<std::string>& class_names, bool submit) {
  const auto verdict = may_edit(user, task);
  if (verdict != "ok") return verdict;
  for (const auto& name : class_names)
    if (!class_called(name)) return "VALIDATION_ERROR";
  if (class_names.empty() && !submit) return "ok";
  const bool waits = task.status == "submitted" || task.status == "review";
  task.annotations += static_cast<std::int64_t>(class_names.size());
  take_up(user, task);
  if (!class_names.empty() || !waits) begin(task);
  if (!submit || waits) return "ok";
  task.status = review_required ? "review" : "submitted";
  task.submitted_by = user.id;
  task.skipped = false;
  if (task.assignee == 0) task.assignee = user.id;
  task.lock.reset();
  end(task);
  return "ok";
}

std::string Model::may_change(const ModelUser& user, const ModelTask& task, const ModelShape& shape,
                              const std::optional<std::int64_t>& version) const {
  if (version && *version != shape.version) return "VERSION_MISMATCH";
  return may_edit(user, task);
}

// Who may not write at all learns nothing of the shape.
std::string Model::edit(const ModelUser& user, ModelTask& task, ModelShape& shape,
                        const ModelEdit& wish) {
  if (const auto why = admits(user, 1); why != "ok") return why;
  if (shape.deleted) return "NOT_FOUND";
  const auto verdict = may_change(user, task, shape, wish.version);
  if (verdict != "ok") return verdict;
  const auto next = wish.class_name ? class_called(*wish.class_name) : shape.class_of;
  if (!next) return "VALIDATION_ERROR";
  if (*next == shape.class_of && !wish.moves) return "ok";
  shape.class_of = *next;
  ++shape.version;
  touch(user, task);
  return "ok";
}

std::string Model::remove_one(const ModelUser& user, ModelTask& task, ModelShape& shape) {
  if (const auto why = admits(user, 1); why != "ok") return why;
  if (shape.deleted) return "NOT_FOUND";
  const auto verdict = may_change(user, task, shape, {});
  if (verdict != "ok") return verdict;
  shape.deleted = true;
  ++shape.version;
  --task.annotations;
  touch(user, task);
  return "ok";
}

std::string Model::restore_one(const ModelUser& user, ModelTask& task, ModelShape& shape) {
  if (const auto why = admits(user, 1); why != "ok") return why;
  if (!shape.deleted) return "ANNOTATION_NOT_DELETED";
  const auto verdict = may_change(user, task, shape, {});
  if (verdict != "ok") return verdict;
  shape.deleted = false;
  ++shape.version;
  ++task.annotations;
  touch(user, task);
  return "ok";
}

std::string Model::rename_class(const ModelUser& user, const std::string& from,
                                const std::string& to) {
  if (const auto why = allows(user, 3); why != "ok") return why;
  const auto renamed = class_called(from);
  if (!renamed) return "VALIDATION_ERROR";
  const auto taken = class_called(to);
  if (taken && taken != renamed) return "CLASS_NAME_TAKEN";
  classes[*renamed] = to;
  return "ok";
}

}  // namespace annolog::testing
