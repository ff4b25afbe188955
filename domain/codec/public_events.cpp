#include "domain/codec/public_events.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "domain/codec/domain_json.hpp"
#include "domain/codec/public_rules.hpp"

namespace annolog::codec {

// Shown as REST shows them.
struct PublicTask {
  TaskId id;
  std::string display_id;
  ItemId dataset_item_id;
};
BOOST_DESCRIBE_STRUCT(PublicTask, (), (id, display_id, dataset_item_id))

struct PublicAnnotation {
  AnnotationId id;
  ShapeKind type = ShapeKind::bbox;
  ClassId class_id;
  std::string class_name;
  Geometry geometry;
  Attributes attributes;
  std::string source;
  std::optional<PredictionId> parent_prediction_id;
  std::optional<double> confidence;
  std::optional<std::int64_t> group_id;
};
BOOST_DESCRIBE_STRUCT(PublicAnnotation, (),
                      (id, type, class_id, class_name, geometry, attributes, source,
                       parent_prediction_id, confidence, group_id))

struct PublicClass {
  ClassId id;
  std::string name;
  std::string color;
  std::vector<std::string> aliases;
};
BOOST_DESCRIBE_STRUCT(PublicClass, (), (id, name, color, aliases))

namespace {

template <class... Es>
constexpr bool each_has_its_row(const std::variant<Es...>*) {
  std::size_t row = 0;
  return ((kPublicRules[row++].type == Es::kType) && ...);
}
static_assert(each_has_its_row(static_cast<const Event*>(nullptr)),
              "public_rules.hpp needs a row for every event, in the order of the variant");

bool names(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const auto end = std::min(list.find(' '), list.size());
    if (list.substr(0, end) == word) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

// A JSON object, member by member.
class ObjectWriter {
 public:
  template <class T>
  void add(std::string_view name, const T& value) {
    text_ += text_.empty() ? '{' : ',';
    write_json_string(text_, name);
    text_ += ':';
    write_json(text_, value);
  }
  std::string finish() && {
    text_ += text_.empty() ? "{}" : "}";
    return std::move(text_);
  }

 private:
  std::string text_;
};

// The event's own members that the rule names. Of an update only what changed is there.
template <class E>
void add_shown(ObjectWriter& out, const E& event, std::string_view shows) {
  boost::mp11::mp_for_each<MembersOf<E>>([&](auto d) {
    const std::string_view name = member_name(d.name);
    if (!names(shows, name)) return;
    const auto& value = event.*d.pointer;
    if constexpr (std::is_same_v<E, ProjectUpdated>) {
      if (is_empty(value)) return;
    }
    out.add(name, value);
  });
}

std::vector<PublicTask> tasks_of(const TasksCreated& event) {
  std::vector<PublicTask> tasks;
  tasks.reserve(event.tasks.size());
  for (const NewTask& task : event.tasks)
    tasks.push_back({task.task_id, "T-" + std::to_string(task.number), task.item_id});
  return tasks;
}

std::vector<PublicAnnotation> annotations_of(const TaskAnnotationsAdded& event) {
  std::vector<PublicAnnotation> annotations;
  annotations.reserve(event.annotations.size());
  for (const NewAnnotation& one : event.annotations)
    annotations.push_back({one.annotation_id, kind_of(one.geometry), one.class_id, one.class_name,
                           one.geometry, one.attributes, one.source, one.parent_prediction_id,
                           one.confidence, one.group_id});
  return annotations;
}

std::vector<PublicClass> classes_of(const ClassList& classes) {
  std::vector<PublicClass> shown;
  shown.reserve(classes.live.size());
  for (const ProjectClass& one : classes.live)
    shown.push_back({one.id, one.name, one.color, one.aliases});
  return shown;
}

template <class E>
inline constexpr bool kNamesNoClass =
    std::is_same_v<E, AnnotationDeleted> || std::is_same_v<E, AnnotationRestored>;

// What is shown in another form than the event has it.
template <class E>
void add_made(ObjectWriter& out, const E& event, const NameOfClass& name_of) {
  if constexpr (std::is_same_v<E, TasksCreated>) {
    out.add("tasks", tasks_of(event));
  } else if constexpr (std::is_same_v<E, TaskAnnotationsAdded>) {
    out.add("annotations", annotations_of(event));
  } else if constexpr (std::is_same_v<E, AnnotationUpdated>) {
    out.add("type", kind_of(event.geometry));
  } else if constexpr (kNamesNoClass<E>) {
    out.add("class_name", name_of(event.class_id));
  } else if constexpr (std::is_same_v<E, ProjectCreated> ||
                       std::is_same_v<E, ProjectClassesReplaced>) {
    out.add("classes_config", classes_of(event.classes));
  } else if constexpr (std::is_same_v<E, BatchCreated>) {
    out.add("display_id", "B-" + std::to_string(event.number));
  }
}

}  // namespace

const PublicRule& public_rule(const Event& event) { return kPublicRules[event.index()]; }

std::span<const PublicRule> public_rules() { return kPublicRules; }

std::optional<PublicEvent> public_event(const Event& event, const NameOfClass& name_of) {
  const PublicRule& rule = public_rule(event);
  if (!rule.is_public()) return std::nullopt;
  PublicEvent shown;
  shown.type = rule.type;
  shown.version = rule.version;
  std::visit(
      [&](const auto& e) {
        if constexpr (requires { shown.task_id = e.task_id; }) shown.task_id = e.task_id;
        if constexpr (requires { shown.batch_id = e.batch_id; }) shown.batch_id = e.batch_id;
        if constexpr (requires { shown.annotation_id = e.annotation_id; })
          shown.annotation_id = e.annotation_id;
        ObjectWriter out;
        add_shown(out, e, rule.shows);
        add_made(out, e, name_of);
        shown.data = std::move(out).finish();
      },
      event);
  return shown;
}

bool asks_for_class_names(const Event& event) {
  return std::holds_alternative<AnnotationDeleted>(event) ||
         std::holds_alternative<AnnotationRestored>(event);
}

}  // namespace annolog::codec
