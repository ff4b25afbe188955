#include "api/realtime/event_frames.hpp"

#include <optional>
#include <type_traits>
#include <unordered_map>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <boost/mp11/algorithm.hpp>

#include "commands/state/record.hpp"
#include "domain/codec/domain_json.hpp"
#include "domain/codec/events.hpp"

namespace annolog::api::realtime {

enum class LockState : std::uint8_t { locked, renewed, released, expired };
BOOST_DESCRIBE_ENUM(LockState, locked, renewed, released, expired)

struct LockData {
  TaskId task_id;
  LockState state = LockState::locked;
  UserId user_id;  // who holds it, or held it
  std::optional<Timestamp> expires_at;
};
BOOST_DESCRIBE_STRUCT(LockData, (), (task_id, state, user_id, expires_at))

enum class EditAction : std::uint8_t { created, updated, deleted, restored };
BOOST_DESCRIBE_ENUM(EditAction, created, updated, deleted, restored)

struct EditData {
  TaskId task_id;
  UserId user_id;
  EditAction action = EditAction::created;
  std::optional<AnnotationId> annotation_id;  // none: not named one by one
  Timestamp at;
};
BOOST_DESCRIBE_STRUCT(EditData, (), (task_id, user_id, action, annotation_id, at))

namespace {

using Frames = std::vector<EventFrame>;

// Of one call that adds more, watchers get a single frame and read the task again: the frames of
// thousands of shapes would fill the queues of all who watch. So would those of an import, of which
// each task is one event, and of which nobody draws any.
constexpr std::size_t kNamedMax = 100;

bool are_named(const std::vector<NewAnnotation>& added) {
  const bool imported = !added.empty() && added.front().source.starts_with("import:");
  return added.size() <= kNamedMax && !imported;
}

Frames lock(const LockData& data) {
  return {{{Channel::Kind::task_lock, data.task_id.value}, {"lock", codec::to_json_text(data)}}};
}

Frames released(TaskId task, UserId by) {
  return lock({task, LockState::released, by, std::nullopt});
}

EventFrame edit(ProjectId project, const EditData& data) {
  return {{Channel::Kind::annotation, project.value}, {"annotation", codec::to_json_text(data)}};
}

template <class E>
Frames edit_of(const E& e, EditAction action, const Happened& how) {
  return {edit(e.project_id, {e.task_id, how.actor, action, e.annotation_id, how.at})};
}

// One function a type; an event without one makes no frames.
Frames made_by(const TaskTaken& e, const Happened&) {
  return lock({e.task_id, LockState::locked, e.user_id, e.expires_at});
}
Frames made_by(const TaskLocked& e, const Happened&) {
  return lock({e.task_id, LockState::locked, e.user_id, e.expires_at});
}
Frames made_by(const TaskLockRenewed& e, const Happened&) {
  return lock({e.task_id, LockState::renewed, e.user_id, e.expires_at});
}
Frames made_by(const TaskUnlocked& e, const Happened&) { return released(e.task_id, e.user_id); }
Frames made_by(const TaskLockExpired& e, const Happened&) {
  return lock({e.task_id, LockState::expired, e.user_id, std::nullopt});
}
// They clear the lock, whether there was one or not.
Frames made_by(const TaskSubmitted& e, const Happened&) { return released(e.task_id, e.user_id); }
Frames made_by(const TaskSkipped& e, const Happened&) { return released(e.task_id, e.user_id); }
Frames made_by(const TaskApproved& e, const Happened&) {
  return released(e.task_id, e.reviewer_id);
}
Frames made_by(const TaskRejected& e, const Happened&) {
  return released(e.task_id, e.reviewer_id);
}

Frames made_by(const TaskAnnotationsAdded& e, const Happened& how) {
  if (!are_named(e.annotations)) {
    const EditData many{e.task_id, how.actor, EditAction::created, std::nullopt, how.at};
    return {edit(e.project_id, many)};
  }
  Frames frames;
  frames.reserve(e.annotations.size());
  for (const NewAnnotation& added : e.annotations) {
    frames.push_back(edit(
        e.project_id, {e.task_id, how.actor, EditAction::created, added.annotation_id, how.at}));
  }
  return frames;
}
Frames made_by(const AnnotationUpdated& e, const Happened& how) {
  return edit_of(e, EditAction::updated, how);
}
Frames made_by(const AnnotationDeleted& e, const Happened& how) {
  return edit_of(e, EditAction::deleted, how);
}
Frames made_by(const AnnotationRestored& e, const Happened& how) {
  return edit_of(e, EditAction::restored, how);
}

template <class E>
concept MakesFrames = requires(const E& e, const Happened& how) { made_by(e, how); };

// The types above by what they are about: a lock, if they say whose it is.
template <class E>
constexpr bool kOfLock =
    MakesFrames<E> &&
    (requires(const E& e) { e.user_id; } || requires(const E& e) { e.reviewer_id; });

}  // namespace

std::vector<EventFrame> frames_of(const Event& event, const Happened& how) {
  return std::visit(
      [&how](const auto& e) -> Frames {
        using E = std::remove_cvref_t<decltype(e)>;
        if constexpr (MakesFrames<E>) {
          return made_by(e, how);
        } else {
          return {};
        }
      },
      event);
}

std::vector<EventFrame> EventFrames::frames_of(const eventstore::Record& record) const {
  const auto& headers = record.headers;
  return realtime::frames_of(codec::decode_event(headers.type, headers.schema_version, record.data),
                             {commands::actor_of(headers), Timestamp{headers.time_ms}});
}

ChannelKinds EventFrames::kinds_of(std::string_view event_type) const {
  static const auto kKinds = [] {
    std::unordered_map<std::string_view, ChannelKinds> kinds;
    boost::mp11::mp_for_each<boost::mp11::mp_transform<std::type_identity, AnyEvent>>(
        [&](auto type) {
          using E = typename decltype(type)::type;
          if constexpr (MakesFrames<E>)
            kinds.emplace(E::kType, ChannelKinds{kOfLock<E> ? Channel::Kind::task_lock
                                                            : Channel::Kind::annotation});
        });
    return kinds;
  }();
  const auto found = kKinds.find(event_type);
  return found == kKinds.end() ? ChannelKinds{} : found->second;
}

}  // namespace annolog::api::realtime
