#include "domain/history/difference.hpp"

namespace annolog {

bool same_content(const AnnotationState& a, const AnnotationState& b) {
  return a.class_id == b.class_id && a.geometry == b.geometry && a.attributes == b.attributes &&
         a.confidence == b.confidence && a.group_id == b.group_id;
}

Difference difference(const TaskPast& from, const TaskPast& to) {
  Difference found;
  // An annotation is never forgotten: whatever was there before is there later, deleted or not.
  for (const auto& [id, after] : to.annotations) {
    const auto before = from.annotations.find(id);
    const bool was_live = before != from.annotations.end() && !before->second.deleted_at;
    const bool is_live = !after.deleted_at;
    if (!was_live && is_live) found.added.push_back(after);
    if (was_live && !is_live) found.removed.push_back(before->second);
    if (was_live && is_live && !same_content(before->second, after))
      found.changed.push_back({before->second, after});
  }
  return found;
}

}  // namespace annolog
