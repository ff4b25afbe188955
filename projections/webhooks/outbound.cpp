#include "projections/webhooks/outbound.hpp"

#include <nlohmann/json.hpp>

#include "domain/codec/domain_json.hpp"
#include "domain/webhook/catalogue.hpp"
#include "projections/pg/words.hpp"

namespace annolog::projections {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kEventVersion = "1.0";

Json json_of(UserId user) { return user == kSystemUser ? Json(nullptr) : Json(user.value); }
template <class Tag>
Json json_of(const std::optional<Id<Tag>>& id) {
  return id ? Json(id->value) : Json(nullptr);
}
Json json_of(const std::optional<std::string>& text) { return text ? Json(*text) : Json(nullptr); }
template <class Tag>
Json json_of(const std::vector<Id<Tag>>& ids) {
  Json all = Json::array();
  for (const auto& id : ids) all.push_back(id.value);
  return all;
}

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Makes what one event is told as; one function an event, none for what nobody is told of.
class Teller {
 public:
  Teller(const Happened& how, const DisplayNumbers& numbers) : how_(how), numbers_(numbers) {}

  std::vector<Outbound> take() { return std::move(told_); }

  void tell(const TasksCreated& e) {
    for (const auto& task : e.tasks) {
      Json data{{"project_id", e.project_id.value},
                {"task_id", task.task_id.value},
                {"display_id", "T-" + std::to_string(task.number)},
                {"status", "pending"},
                {"dataset_id", e.dataset_id.value},
                {"dataset_item_id", task.item_id.value},
                {"file_name", task.file_name}};
      add("task.created", lane_of(task.task_id), std::move(data));
    }
  }
  void tell(const TaskTaken& e) { of_task("task.taken", e, "in_progress", {}); }
  void tell(const TaskSubmitted& e) { of_task("task.submitted", e, "submitted", {}); }
  void tell(const TaskSentToReview& e) { of_task("task.sent_to_review", e, "review", {}); }
  void tell(const TaskApproved& e) {
    const Json people{{"reviewer_id", e.reviewer_id.value},
                      {"assignee_id", json_of(e.assignee_id)}};
    of_task("task.approved", e, "completed", people);
    reviewed(e, "completed", "approved", people);
  }
  void tell(const TaskRejected& e) {
    const Json why{{"reviewer_id", e.reviewer_id.value},
                   {"assignee_id", json_of(e.assignee_id)},
                   {"reason_type", word_of(e.reason_type)},
                   {"reason", json_of(e.reason)}};
    of_task("task.rejected", e, "rejected", why);
    reviewed(e, "rejected", "rejected", why);
  }
  void tell(const TaskRejectionAccepted& e) {
    of_task("task.rejection_accepted", e, "in_progress", {});
  }
  void tell(const TaskReopened& e) {
    of_task("task.reopened", e, "in_progress",
            {{"previous_reviewer_id", json_of(e.previous_reviewer_id)}});
  }
  void tell(const TaskSkipped& e) {
    of_task("task.skipped", e, "pending", {{"reason", json_of(e.reason)}});
  }
  void tell(const TasksRemoved& e) {
    for (const TaskId task : e.task_ids) {
      Json data{{"project_id", e.project_id.value},
                {"task_id", task.value},
                {"dataset_id", e.dataset_id.value}};
      add("task.removed", lane_of(task), std::move(data));
    }
  }

  void tell(const TaskAnnotationsAdded& e) {
    Json annotations = Json::array();
    for (const auto& one : e.annotations) {
      annotations.push_back({{"annotation_id", one.annotation_id.value},
                             {"class_name", one.class_name},
                             {"source", one.source}});
    }
    of_task("annotation.created", e, {}, {{"annotations", std::move(annotations)}});
  }
  void tell(const AnnotationUpdated& e) {
    of_task("annotation.updated", e, {},
            {{"annotation_id", e.annotation_id.value},
             {"class_name", e.class_name},
             {"version", e.version},
             {"reviewer_edit", e.reviewer_edit}});
  }
  void tell(const AnnotationDeleted& e) { of_annotation("annotation.deleted", e); }
  void tell(const AnnotationRestored& e) { of_annotation("annotation.restored", e); }

  // Without the text, which may name people.
  void tell(const CommentAdded& e) {
    of_task("comment.created", e, {},
            {{"comment_id", e.comment_id.value},
             {"annotation_id", json_of(e.annotation_id)},
             {"author_id", e.author_id.value},
             {"mentions", json_of(e.mentions)}});
  }
  void tell(const CommentDeleted& e) {
    of_task("comment.deleted", e, {}, {{"comment_id", e.comment_id.value}});
  }

  void tell(const BatchCreated& e) {
    of_batch("batch.created", e,
             {{"status", "draft"},
              {"name", e.name},
              {"annotator_id", json_of(e.annotator_id)},
              {"reviewer_id", json_of(e.reviewer_id)}});
  }
  void tell(const BatchRenamed& e) { of_batch("batch.renamed", e, {{"name", e.name}}); }
  void tell(const BatchAssigned& e) {
    of_batch("batch.assigned", e,
             {{"annotator_id", json_of(e.annotator_id)}, {"reviewer_id", json_of(e.reviewer_id)}});
  }
  void tell(const BatchTasksAdded& e) {
    of_batch("batch.tasks_added", e, {{"task_ids", json_of(e.task_ids)}});
  }
  void tell(const BatchTasksRemoved& e) {
    of_batch("batch.tasks_removed", e, {{"task_ids", json_of(e.task_ids)}});
  }
  void tell(const BatchMoved& e) {
    of_batch("batch.status_changed", e,
             {{"from", word_of(e.from)},
              {"status", word_of(e.to)},
              {"automatic", e.automatic},
              {"reason", json_of(e.reason)},
              {"review_feedback", json_of(e.review_feedback)}});
  }
  void tell(const BatchReset& e) {
    of_batch("batch.status_changed", e,
             {{"from", word_of(e.from)},
              {"status", "draft"},
              {"automatic", false},
              {"reason", e.reason},
              {"review_feedback", nullptr}});
  }
  void tell(const BatchDeleted& e) { of_batch("batch.deleted", e, {}); }

  void tell(const ProjectCreated& e) {
    of_project("project.created", e, {{"name", e.name}, {"owner_id", e.owner_id.value}});
  }
  void tell(const ProjectUpdated& e) {
    Json changed = Json::array();
    boost::mp11::mp_for_each<codec::MembersOf<ProjectUpdated>>([&](auto member) {
      const auto& value = e.*member.pointer;
      if constexpr (codec::is_optional<std::remove_cvref_t<decltype(value)>>) {
        if (value) changed.push_back(member.name);
      }
    });
    of_project("project.updated", e, {{"changed", std::move(changed)}});
  }
  void tell(const ProjectClassesReplaced& e) { of_classes(e); }
  void tell(const ProjectClassRenamed& e) { of_classes(e); }
  void tell(const ProjectTransferred& e) {
    of_project("project.transferred", e,
               {{"old_owner_id", json_of(e.old_owner_id)}, {"new_owner_id", e.new_owner_id.value}});
  }
  void tell(const ProjectDeleted& e) { of_project("project.deleted", e, {}); }
  void tell(const ProjectExported& e) {
    of_project("project.exported", e, {{"format", e.format}, {"batch_id", json_of(e.of_batch)}});
  }
  void tell(const ProjectMemberAdded& e) {
    of_project("member.added", e, {{"user_id", e.user_id.value}, {"role", to_string(e.role)}});
  }
  void tell(const ProjectMemberRoleChanged& e) {
    of_project("member.role_changed", e,
               {{"user_id", e.user_id.value},
                {"old_role", to_string(e.old_role)},
                {"role", to_string(e.new_role)}});
  }
  void tell(const ProjectMemberRemoved& e) {
    of_project("member.removed", e, {{"user_id", e.user_id.value}});
  }

 private:
  static std::string lane_of(TaskId task) { return "task/" + std::to_string(task.value); }
  static Json shown(const char* prefix, const std::unordered_map<std::int64_t, std::int64_t>& known,
                    std::int64_t id) {
    const auto found = known.find(id);
    return found == known.end() ? Json(nullptr) : Json(prefix + std::to_string(found->second));
  }

  // What the event says itself, then who did it.
  void add(std::string_view event, std::string lane, Json data, const Json& more = {}) {
    if (more.is_object()) data.update(more);
    data["actor_id"] = json_of(how_.actor);
    told_.push_back({event, std::move(lane), text_of(data)});
  }
  template <class E>
  void of_task(std::string_view event, const E& e, std::string_view status, const Json& more) {
    Json data{{"project_id", e.project_id.value},
              {"task_id", e.task_id.value},
              {"display_id", shown("T-", numbers_.tasks, e.task_id.value)}};
    if (!status.empty()) data["status"] = status;
    add(event, lane_of(e.task_id), std::move(data), more);
  }
  template <class E>
  void reviewed(const E& e, std::string_view status, const char* outcome, Json more) {
    more["outcome"] = outcome;
    of_task("task.reviewed", e, status, more);
  }
  template <class E>
  void of_annotation(std::string_view event, const E& e) {
    of_task(event, e, {},
            {{"annotation_id", e.annotation_id.value},
             {"version", e.version},
             {"reviewer_edit", e.reviewer_edit}});
  }
  template <class E>
  void of_batch(std::string_view event, const E& e, const Json& more) {
    Json data{{"project_id", e.project_id.value},
              {"batch_id", e.batch_id.value},
              {"display_id", shown("B-", numbers_.batches, e.batch_id.value)}};
    add(event, "batch/" + std::to_string(e.batch_id.value), std::move(data), more);
  }
  template <class E>
  void of_project(std::string_view event, const E& e, const Json& more) {
    add(event, "project/" + std::to_string(e.project_id.value),
        {{"project_id", e.project_id.value},
         {"display_id", "P-" + std::to_string(e.project_id.value)}},
        more);
  }
  template <class E>
  void of_classes(const E& e) {
    of_project("project.updated", e, {{"changed", Json::array({"classes_config"})}});
  }

  const Happened& how_;
  const DisplayNumbers& numbers_;
  std::vector<Outbound> told_;
};

template <class E>
concept IsTold = requires(Teller& teller, const E& e) { teller.tell(e); };

}  // namespace

void add_named(const Event& event, std::vector<TaskId>& tasks, std::vector<BatchId>& batches) {
  std::visit(
      [&](const auto& e) {
        using E = std::remove_cvref_t<decltype(e)>;
        if constexpr (IsTold<E>) {
          if constexpr (requires { TaskId(e.task_id); }) tasks.push_back(e.task_id);
          if constexpr (requires { BatchId(e.batch_id); }) batches.push_back(e.batch_id);
        }
      },
      event);
}

std::vector<Outbound> outbound_of(const Event& event, const Happened& how,
                                  const DisplayNumbers& numbers) {
  Teller teller(how, numbers);
  std::visit(
      [&](const auto& e) {
        if constexpr (IsTold<std::remove_cvref_t<decltype(e)>>) teller.tell(e);
      },
      event);
  return teller.take();
}

Outbound ping(const WebhookTested& event, const Happened& how) {
  const Json data{{"webhook_id", event.webhook_id.value},
                  {"project_id", json_of(event.project_id)},
                  {"actor_id", json_of(how.actor)}};
  return {kPing, {}, text_of(data)};
}

std::optional<ProjectId> project_of(const Event& event) {
  return std::visit(
      [](const auto& e) -> std::optional<ProjectId> {
        if constexpr (requires { ProjectId(e.project_id); }) return ProjectId(e.project_id);
        return std::nullopt;
      },
      event);
}

std::string envelope(const Outbound& outbound, std::string_view delivery_id,
                     Timestamp occurred_at) {
  std::string body = R"({"event_version":")";
  body.append(kEventVersion).append(R"(","event":")").append(outbound.event);
  body.append(R"(","delivery_id":")").append(delivery_id);
  body.append(R"(","occurred_at":")").append(to_rfc3339(occurred_at));
  return body.append(R"(","data":)").append(outbound.data).append("}");
}

}  // namespace annolog::projections
