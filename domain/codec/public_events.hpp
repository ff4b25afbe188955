// What of the log's events members of a project are told, and in which form: the catalogue of the
// change feed. A public type keeps its meaning and its fields for ever; it may get new fields, and
// the next version when it must change. Pure; any thread. docs/change-feed.md, docs/decisions/0028.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "domain/events.hpp"

namespace annolog::codec {

// One type of event, in the order of the Event variant.
struct PublicRule {
  std::string_view type;
  int version = 0;          // of the public form; 0: the event is private
  std::string_view shows;   // public: the event's members that are shown as they are, by a space
  std::string_view reason;  // private: why

  constexpr bool is_public() const { return version > 0; }
};
std::span<const PublicRule> public_rules();
const PublicRule& public_rule(const Event& event);

struct PublicEvent {
  std::string_view type;
  int version = 1;
  std::optional<TaskId> task_id;
  std::optional<BatchId> batch_id;
  std::optional<AnnotationId> annotation_id;
  std::string data;  // a JSON object
};

// What the class was called when it happened.
using NameOfClass = std::function<std::string(ClassId)>;

// Nothing for a private event.
std::optional<PublicEvent> public_event(const Event& event, const NameOfClass& name_of);
// Whether the public form asks for the name of a class, which the event itself does not have.
bool asks_for_class_names(const Event& event);

}  // namespace annolog::codec
