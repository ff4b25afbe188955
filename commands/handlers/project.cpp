// Projects, classes and members.
#include "commands/handlers/handlers.hpp"

namespace annolog::commands {
namespace {

template <class C, class... More>
Result<Handled> decide_project(const Handling& on, const C& command, const More&... more) {
  const auto project = on.state.project(command.project_id);
  BOOST_OUTCOME_TRY(auto events, decide(*project, command, on.context, more...));
  return Handled{std::move(events), {ReplyKind::project, {command.project_id.value}, {}}};
}

template <class C>
Result<Handled> decide_member(const Handling& on, const C& command) {
  const auto project = on.state.project(command.project_id);
  BOOST_OUTCOME_TRY(auto events, decide(*project, command, on.context));
  return Handled{std::move(events),
                 {ReplyKind::member, {command.project_id.value, command.user_id.value}, {}}};
}

}  // namespace

Result<Handled> handle(const Handling& on, const CreateProject& command) {
  return decide_project(on, command);
}

Result<Handled> handle(const Handling& on, const UpdateProject& command) {
  const ClassUse use = command.classes_config ? on.state.class_use(command.project_id) : ClassUse{};
  return decide_project(on, command, use);
}

Result<Handled> handle(const Handling& on, const RenameClass& command) {
  return decide_project(on, command);
}

Result<Handled> handle(const Handling& on, const AddMember& command) {
  return decide_member(on, command);
}

Result<Handled> handle(const Handling& on, const ChangeMemberRole& command) {
  return decide_member(on, command);
}

Result<Handled> handle(const Handling& on, const RemoveMember& command) {
  const auto project = on.state.project(command.project_id);
  BOOST_OUTCOME_TRY(auto events, decide(*project, command, on.context));
  return Handled{std::move(events), {}};
}

Result<Handled> handle(const Handling& on, const CheckLinkAllowed& command) {
  const auto unlinking = on.state.unlinking(command.project_id, command.dataset_id);
  return decide_project(on, command, is_under_way(unlinking));
}

Result<Handled> handle(const Handling& on, const RecordExport& command) {
  BOOST_OUTCOME_TRY(auto events, decide(command, on.context));
  return Handled{std::move(events), {}};
}

Result<Handled> handle(const Handling& on, const TransferProject& command) {
  return decide_project(on, command);
}

Result<Handled> handle(const Handling& on, const DeleteProject& command) {
  const auto project = on.state.project(command.project_id);
  BOOST_OUTCOME_TRY(auto events,
                    decide(*project, command, on.context, on.state.task_count(command.project_id)));
  return Handled{std::move(events), {}};
}

}  // namespace annolog::commands
