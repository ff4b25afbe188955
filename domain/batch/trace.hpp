// What the events of a batch tell to who asks who did what to it, in the words of the audit (spec,
// "Audit log"; decisions, section 7).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include "domain/events.hpp"
#include "domain/user/view.hpp"

namespace annolog {

enum class CallOutcome : std::uint8_t { succeeded, skipped, failed };
BOOST_DESCRIBE_ENUM(CallOutcome, succeeded, skipped, failed)

struct BatchTraceDetail {
  std::optional<std::string> display_id{};
  std::optional<std::string> request_id{};
  std::optional<std::string> name{};
  std::optional<std::string> reason{};
  std::optional<std::string> review_feedback{};
  std::optional<BatchStatus> from{};
  std::optional<BatchStatus> to{};
  std::optional<bool> automatic{};  // it followed from work on a task
  std::optional<bool> annotator_changed{};
  std::optional<UserId> annotator_id{};
  std::optional<bool> reviewer_changed{};
  std::optional<UserId> reviewer_id{};
  std::optional<std::int64_t> task_count{};
  std::optional<CallOutcome> outcome{};  // for this batch, of a call about many
  static constexpr std::array<std::string_view, 14> kOmitWhenEmpty{
      "display_id",   "request_id",       "name",
      "reason",       "review_feedback",  "from",
      "to",           "automatic",        "annotator_changed",
      "annotator_id", "reviewer_changed", "reviewer_id",
      "task_count",   "outcome"};
  bool operator==(const BatchTraceDetail&) const = default;
};
BOOST_DESCRIBE_STRUCT(BatchTraceDetail, (),
                      (display_id, request_id, name, reason, review_feedback, from, to, automatic,
                       annotator_changed, annotator_id, reviewer_changed, reviewer_id, task_count,
                       outcome))

// A row of the audit. What only the request knew (address, method, path, status) isn't in the log.
struct BatchTraceView {
  std::int64_t id = 0;             // rises with time, within the batch
  std::optional<UserId> actor_id;  // null: the service itself
  std::optional<UserBrief> actor;
  std::optional<std::string> actor_email;
  std::optional<Role> actor_role;
  std::string action;
  std::string target_type = "batch";
  BatchId target_id;
  std::optional<std::string> method;
  std::optional<std::string> path;
  std::optional<std::int64_t> status_code;
  std::optional<std::string> ip;
  BatchTraceDetail detail_json;
  Timestamp created_at;
  bool operator==(const BatchTraceView&) const = default;
};
BOOST_DESCRIBE_STRUCT(BatchTraceView, (),
                      (id, actor_id, actor, actor_email, actor_role, action, target_type, target_id,
                       method, path, status_code, ip, detail_json, created_at))

struct BatchTrace {
  std::string action;
  BatchTraceDetail detail;
  bool operator==(const BatchTrace&) const = default;
};

// Of an event that concerns one batch; a call about many tells of one here.
BatchTrace trace_of(const Event& event);

}  // namespace annolog
