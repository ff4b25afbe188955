// Wishes about a project, and what may come of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>

#include "domain/events.hpp"
#include "domain/project/state.hpp"
#include "domain/support/expected_version.hpp"
#include "domain/support/result.hpp"

namespace annolog {

// The name is reserved for `project_id` before this is decided.
struct CreateProject {
  ProjectId project_id;
  std::string name;
  std::string description;
  ProjectType type_key = ProjectType::image_det;
  std::vector<ClassSpec> classes_config;
  AttributeSchema attribute_schema;
  bool ai_enabled = false;
  bool review_required = false;
  std::string annotation_guide;
  JsonText rendering_config{"{}"};
  UserId owner_id;
};
BOOST_DESCRIBE_STRUCT(CreateProject, (),
                      (project_id, name, description, type_key, classes_config, attribute_schema,
                       ai_enabled, review_required, annotation_guide, rendering_config, owner_id))

// Absent members stay as they are. A new name is reserved before this is decided.
struct UpdateProject {
  ProjectId project_id;
  ExpectedVersion expected_version;
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::optional<std::vector<ClassSpec>> classes_config;
  std::optional<AttributeSchema> attribute_schema;
  std::optional<bool> ai_enabled;
  std::optional<bool> review_required;
  std::optional<std::string> annotation_guide;
  std::optional<JsonText> rendering_config;
  std::optional<ProjectStatus> status;
};
BOOST_DESCRIBE_STRUCT(UpdateProject, (),
                      (project_id, expected_version, name, description, classes_config,
                       attribute_schema, ai_enabled, review_required, annotation_guide,
                       rendering_config, status))

struct RenameClass {
  ProjectId project_id;
  std::string old_name;
  std::string new_name;
};
BOOST_DESCRIBE_STRUCT(RenameClass, (), (project_id, old_name, new_name))

// `global_role` is the user's own, as the directory has it.
struct AddMember {
  ProjectId project_id;
  UserId user_id;
  Role role = Role::viewer;
  Role global_role = Role::viewer;
};
BOOST_DESCRIBE_STRUCT(AddMember, (), (project_id, user_id, role, global_role))

struct ChangeMemberRole {
  ProjectId project_id;
  UserId user_id;
  Role role = Role::viewer;
  Role global_role = Role::viewer;
};
BOOST_DESCRIBE_STRUCT(ChangeMemberRole, (), (project_id, user_id, role, global_role))

struct RemoveMember {
  ProjectId project_id;
  UserId user_id;
};
BOOST_DESCRIBE_STRUCT(RemoveMember, (), (project_id, user_id))

// May the caller link datasets to this project? Decides, and records nothing.
struct CheckLinkAllowed {
  ProjectId project_id;
  DatasetId dataset_id;
};
BOOST_DESCRIBE_STRUCT(CheckLinkAllowed, (), (project_id, dataset_id))

// `global_role` is the new owner's own, as the directory has it; absent: no active user has the id.
struct TransferProject {
  ProjectId project_id;
  UserId new_owner_id;
  std::optional<Role> global_role;
};
BOOST_DESCRIBE_STRUCT(TransferProject, (), (project_id, new_owner_id, global_role))

struct DeleteProject {
  ProjectId project_id;
  ExpectedVersion expected_version;
};
BOOST_DESCRIBE_STRUCT(DeleteProject, (), (project_id, expected_version))

// Leaves the trace that an export must leave before its first byte.
struct RecordExport {
  ProjectId project_id;
  std::string format;
  bool include_attributes = false;
  std::optional<BatchId> of_batch = std::nullopt;  // absent: the whole project
};
BOOST_DESCRIBE_STRUCT(RecordExport, (), (project_id, format, include_attributes, of_batch))

// Live annotations of each class.
using ClassUse = std::map<ClassId, std::int64_t>;

// The static part of a wish: text lengths, class rules, the attribute schema. Also asked before a
// name is reserved, so that a bad wish leaves no trace.
Result<void> check(const CreateProject& command);
Result<void> check(const UpdateProject& command);

// In every decide: `state.version == 0` means that the project does not exist.
Result<Events> decide(const ProjectState& state, const CreateProject& command,
                      const Context& context);
Result<Events> decide(const ProjectState& state, const UpdateProject& command,
                      const Context& context, const ClassUse& class_use);
Result<Events> decide(const ProjectState& state, const RenameClass& command,
                      const Context& context);
Result<Events> decide(const ProjectState& state, const AddMember& command, const Context& context);
Result<Events> decide(const ProjectState& state, const ChangeMemberRole& command,
                      const Context& context);
Result<Events> decide(const ProjectState& state, const RemoveMember& command,
                      const Context& context);
// `is_unlinking`: the dataset is just leaving the project.
Result<Events> decide(const ProjectState& state, const CheckLinkAllowed& command,
                      const Context& context, bool is_unlinking);
Result<Events> decide(const ProjectState& state, const TransferProject& command,
                      const Context& context);
Result<Events> decide(const ProjectState& state, const DeleteProject& command,
                      const Context& context, std::int64_t task_count);
// In the directory shard, beside the project: an export changes nothing that an export shows.
Result<Events> decide(const RecordExport& command, const Context& context);

}  // namespace annolog
