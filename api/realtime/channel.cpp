#include "api/realtime/channel.hpp"

#include <iterator>

#include "domain/support/number.hpp"

namespace annolog::api::realtime {
namespace {

using Kind = Channel::Kind;

constexpr ChannelRule kRules[] = {
    {Kind::annotation, "project:", ":annotation", true, Audience::readers, false, "Who is editing",
     "A frame for each change of annotations: who changed which of which task."},
    {Kind::preannotate, "project:", ":preannotate", true, Audience::readers, false,
     "Pre-annotation of a project", "How far the predictions of a project's tasks are."},
    {Kind::task_lock, "task:", ":lock", true, Audience::readers, false, "The lock of a task",
     "A frame whenever the task's lock is taken, renewed, given back or found to be over. A change "
     "of its whole batch (a reset, other people, joining one) ends locks without a frame: the "
     "project's change feed tells of those."},
    {Kind::prediction_jobs, "global:prediction-jobs", "", false, Audience::super_admins, true,
     "All prediction jobs", "How far the prediction jobs of all projects are."},
    {Kind::tracker_job, "video-tracker-job:", "", true, Audience::readers, false,
     "A job of the video tracker", "What the job has found, frame by frame, and how it ended."},
    {Kind::notify, "user:", ":notify", true, Audience::oneself, true, "A user's notifications",
     "Each notification, as GET /notifications lists it."},
};

static_assert(std::size(kRules) == kChannelKinds);

std::optional<std::int64_t> id_of(std::string_view text) {
  const std::int64_t id = id_number(text);
  if (id == 0 || id > kMaxId || text.front() == '0') return std::nullopt;
  return id;
}

}  // namespace

std::span<const ChannelRule> channel_rules() { return kRules; }

const ChannelRule& rule_of(const Channel& channel) {
  return kRules[static_cast<std::size_t>(channel.kind)];
}

std::string name_of(const Channel& channel) {
  const ChannelRule& rule = rule_of(channel);
  std::string name(rule.prefix);
  if (rule.has_id) name += std::to_string(channel.id);
  return name += rule.suffix;
}

std::optional<Channel> channel_of(std::string_view name) {
  for (const ChannelRule& rule : kRules) {
    if (!rule.has_id) {
      if (name == rule.prefix) return Channel{rule.kind, 0};
      continue;
    }
    if (name.size() <= rule.prefix.size() + rule.suffix.size()) continue;
    if (!name.starts_with(rule.prefix) || !name.ends_with(rule.suffix)) continue;
    const auto id = id_of(
        name.substr(rule.prefix.size(), name.size() - rule.prefix.size() - rule.suffix.size()));
    if (id) return Channel{rule.kind, *id};
  }
  return std::nullopt;
}

}  // namespace annolog::api::realtime
