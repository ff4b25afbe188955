#include <algorithm>
#include <set>
#include <string_view>

#include "domain/identity/refusals.hpp"
#include "domain/project/commands.hpp"
#include "domain/project/transitions.hpp"
#include "domain/project/unlinking.hpp"
#include "domain/support/length.hpp"
#include "domain/support/patch.hpp"

namespace annolog {
namespace {

constexpr std::size_t kMaxProjectName = 200;
constexpr std::size_t kMaxProjectDescription = 10'000;
constexpr std::size_t kMaxGuideLength = 200'000;
constexpr std::size_t kMaxRenderingConfigBytes = 64 * 1024;

void check_texts(const std::optional<std::string>& name, const std::optional<std::string>& text,
                 const std::optional<std::string>& guide, const std::optional<JsonText>& rendering,
                 std::vector<FieldError>& errors) {
  if (name) check_length(trimmed(*name), 1, kMaxProjectName, "name", errors);
  if (text) check_length(*text, 0, kMaxProjectDescription, "description", errors);
  if (guide) check_length(*guide, 0, kMaxGuideLength, "annotation_guide", errors);
  if (rendering && rendering->text.size() > kMaxRenderingConfigBytes) {
    errors.push_back({{"rendering_config"}, "At most 64 KiB of JSON.", "length"});
  }
}

void append(std::vector<FieldError>& all, const std::vector<FieldError>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

Result<void> check_role(Role role, Role global_role) {
  if (role == Role::super_admin) {
    return validation_error({{{"role"},
                              "A project role is viewer, annotator, reviewer or "
                              "project_admin.",
                              "enum"}});
  }
  if (role > global_role) {
    return DomainError{DomainError::Kind::invalid,
                       "ROLE_ABOVE_GLOBAL",
                       "A project role can't be above the user's global role.",
                       {{"global_role", std::string(to_string(global_role))}},
                       {},
                       0};
  }
  return success();
}

// The counts of removed classes that live annotations still use.
Result<void> check_removed_unused(const ClassList& next, const ClassUse& use) {
  std::map<std::string, std::int64_t> counts;
  for (const auto& c : next.removed) {
    if (const auto found = use.find(c.id); found != use.end() && found->second > 0) {
      counts.emplace(c.name, found->second);
    }
  }
  if (counts.empty()) return success();
  return conflict("CLASS_IN_USE", "Annotations still use a class that would be removed.",
                  {{"counts", std::move(counts)}});
}

// Attributes name the classes they are for. In the schema that is kept, who bore the new name
// before is gone: its attributes are none of the renamed one's. In one that came with the new
// names, they are those of the renamed one, by either name.
enum class SchemaIs { kept, given };

AttributeSchema with_renamed_class(AttributeSchema schema, const std::string& old_name,
                                   const std::string& new_name, SchemaIs which) {
  for (auto& spec : schema.attributes) {
    if (!spec.applies_to.classes) continue;
    auto& classes = *spec.applies_to.classes;
    if (which == SchemaIs::kept) {
      std::erase(classes, new_name);
      std::ranges::replace(classes, old_name, new_name);
    } else if (std::ranges::find(classes, new_name) != classes.end()) {
      std::erase(classes, old_name);
    } else {
      std::ranges::replace(classes, old_name, new_name);
    }
  }
  return schema;
}

// A class that keeps its id under another name is a renamed one here too: its name may come back in
// another case.
AttributeSchema with_renamed_classes(AttributeSchema schema, const ClassList& before,
                                     const ClassList& after, SchemaIs which) {
  for (const auto& now : after.live) {
    const auto* known = before.find(now.id);
    if (known != nullptr && known->name != now.name) {
      schema = with_renamed_class(std::move(schema), known->name, now.name, which);
    }
  }
  return schema;
}

// Attributes of classes that there are not would be attributes of nothing. Names that the schema
// had `before` may stay: their classes may have gone since, and may come back.
void check_applies_to(const AttributeSchema& schema, const AttributeSchema& before,
                      const ClassList& classes, std::vector<FieldError>& errors) {
  std::set<std::string_view> names;
  for (const auto& c : classes.live) names.insert(c.name);
  for (const auto& spec : before.attributes) {
    if (spec.applies_to.classes) {
      names.insert(spec.applies_to.classes->begin(), spec.applies_to.classes->end());
    }
  }
  for (std::size_t i = 0; i < schema.attributes.size(); ++i) {
    const auto& wanted = schema.attributes[i].applies_to.classes;
    for (std::size_t k = 0; wanted && k < wanted->size() && !is_full(errors); ++k) {
      if (names.contains((*wanted)[k])) continue;
      errors.push_back({{"attribute_schema", "attributes", static_cast<std::int64_t>(i),
                         "applies_to", static_cast<std::int64_t>(k)},
                        "The project has no class of this name.",
                        "unknown_class"});
    }
  }
}

bool changes_anything(const ProjectUpdated& e) {
  return e.name || e.description || e.attribute_schema || e.ai_enabled || e.review_required ||
         e.annotation_guide || e.rendering_config || e.status;
}

}  // namespace

Result<void> check(const CreateProject& command) {
  std::vector<FieldError> errors;
  check_texts(command.name, command.description, command.annotation_guide, command.rendering_config,
              errors);
  check_schema(command.attribute_schema, {"attribute_schema"}, errors);
  if (auto classes = replace_classes({}, command.classes_config, {"classes_config"}); classes) {
    check_applies_to(command.attribute_schema, {}, classes.value(), errors);
  } else {
    append(errors, classes.error().errors);
  }
  if (!errors.empty()) return validation_error(std::move(errors));
  return success();
}

Result<void> check(const UpdateProject& command) {
  std::vector<FieldError> errors;
  check_texts(command.name, command.description, command.annotation_guide, command.rendering_config,
              errors);
  if (command.attribute_schema) {
    check_schema(*command.attribute_schema, {"attribute_schema"}, errors);
  }
  if (command.classes_config) {
    if (auto c = replace_classes({}, *command.classes_config, {"classes_config"}); !c) {
      append(errors, c.error().errors);
    }
  }
  if (!errors.empty()) return validation_error(std::move(errors));
  return success();
}

Result<Events> decide(const ProjectState& state, const CreateProject& command, const Context&) {
  if (state.version != 0) return Events{};  // done before: the steps of a creation may be repeated
  if (state.deleted) return not_found("project");  // ids are never used again
  BOOST_OUTCOME_TRY(check(command));
  BOOST_OUTCOME_TRY(auto classes, replace_classes({}, command.classes_config, {"classes_config"}));
  return Events{ProjectCreated{.project_id = command.project_id,
                               .name = trimmed(command.name),
                               .description = command.description,
                               .type_key = command.type_key,
                               .classes = std::move(classes),
                               .attribute_schema = command.attribute_schema,
                               .ai_enabled = command.ai_enabled,
                               .review_required = command.review_required,
                               .annotation_guide = command.annotation_guide,
                               .rendering_config = command.rendering_config,
                               .owner_id = command.owner_id}};
}

Result<Events> decide(const ProjectState& state, const UpdateProject& command,
                      const Context& context, const ClassUse& class_use) {
  BOOST_OUTCOME_TRY(state.require(Action::administer, context));
  if (const auto* step = find_step(state.status, command.status.value_or(state.status))) {
    BOOST_OUTCOME_TRY(state.require(step->who, context));
  }
  if (!matches(command.expected_version, state.version)) {
    return version_mismatch(state.version);
  }
  BOOST_OUTCOME_TRY(check(command));
  Events events;
  std::optional<std::string> name;
  if (command.name) name = trimmed(*command.name);
  std::optional<ClassList> classes;
  if (command.classes_config) {
    BOOST_OUTCOME_TRY(classes,
                      replace_classes(state.classes, *command.classes_config, {"classes_config"}));
    BOOST_OUTCOME_TRY(check_removed_unused(*classes, class_use));
  }
  auto schema = command.attribute_schema;
  if (classes) {
    const auto which = schema ? SchemaIs::given : SchemaIs::kept;
    schema = with_renamed_classes(std::move(schema).value_or(state.attribute_schema), state.classes,
                                  *classes, which);
  }
  if (command.attribute_schema) {
    std::vector<FieldError> errors;
    check_applies_to(*schema, state.attribute_schema, classes ? *classes : state.classes, errors);
    if (!errors.empty()) return validation_error(std::move(errors));
  }
  ProjectUpdated updated{
      .project_id = state.id,
      .name = if_changed(name, state.name),
      .description = if_changed(command.description, state.description),
      .attribute_schema = if_changed(schema, state.attribute_schema),
      .ai_enabled = if_changed(command.ai_enabled, state.ai_enabled),
      .review_required = if_changed(command.review_required, state.review_required),
      .annotation_guide = if_changed(command.annotation_guide, state.annotation_guide),
      .rendering_config = if_changed(command.rendering_config, state.rendering_config),
      .status = if_changed(command.status, state.status)};
  if (changes_anything(updated)) events.emplace_back(std::move(updated));
  if (classes && *classes != state.classes) {
    events.emplace_back(ProjectClassesReplaced{state.id, *std::move(classes)});
  }
  return events;
}

Result<Events> decide(const ProjectState& state, const RenameClass& command,
                      const Context& context) {
  BOOST_OUTCOME_TRY(state.require(Action::administer, context));
  BOOST_OUTCOME_TRY(auto renamed, rename_class(state.classes, command.old_name, command.new_name));
  const auto* target = state.classes.find(command.old_name);
  const std::string& new_name = renamed.find(target->id)->name;
  if (new_name == command.old_name) return Events{};
  Events events{ProjectClassRenamed{state.id, target->id, command.old_name, new_name}};
  if (auto schema =
          with_renamed_class(state.attribute_schema, command.old_name, new_name, SchemaIs::kept);
      schema != state.attribute_schema) {
    ProjectUpdated updated;
    updated.project_id = state.id;
    updated.attribute_schema = std::move(schema);
    events.emplace_back(std::move(updated));
  }
  return events;
}

Result<Events> decide(const ProjectState& state, const AddMember& command, const Context& context) {
  BOOST_OUTCOME_TRY(state.require(Action::administer, context));
  BOOST_OUTCOME_TRY(check_role(command.role, command.global_role));
  if (state.members.contains(command.user_id)) {
    return conflict("ALREADY_MEMBER", "The user is a member of this project already.");
  }
  return Events{ProjectMemberAdded{state.id, command.user_id, command.role}};
}

Result<Events> decide(const ProjectState& state, const ChangeMemberRole& command,
                      const Context& context) {
  BOOST_OUTCOME_TRY(state.require(Action::administer, context));
  const auto found = state.members.find(command.user_id);
  if (found == state.members.end()) return not_found("member");
  BOOST_OUTCOME_TRY(check_role(command.role, command.global_role));
  if (found->second.role == command.role) return Events{};
  return Events{
      ProjectMemberRoleChanged{state.id, command.user_id, found->second.role, command.role}};
}

Result<Events> decide(const ProjectState& state, const RemoveMember& command,
                      const Context& context) {
  BOOST_OUTCOME_TRY(state.require(Action::administer, context));
  if (!state.members.contains(command.user_id)) return not_found("member");
  return Events{ProjectMemberRemoved{state.id, command.user_id}};
}

Result<Events> decide(const ProjectState& state, const CheckLinkAllowed&, const Context& context,
                      bool is_unlinking) {
  BOOST_OUTCOME_TRY(state.require(Action::administer, context));
  if (state.status == ProjectStatus::archived) {
    return conflict("PROJECT_ARCHIVED", "The project is archived; nothing can be linked to it.");
  }
  if (is_unlinking) return unlink_under_way();
  return Events{};
}

Result<Events> decide(const RecordExport& command, const Context& context) {
  if (!may_globally(context.role, Action::export_project)) return forbidden(Action::export_project);
  return Events{ProjectExported{command.project_id, command.format, command.include_attributes,
                                command.of_batch}};
}

}  // namespace annolog
