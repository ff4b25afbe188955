#include "app/replay.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "app/log_place.hpp"
#include "app/merged_records.hpp"
#include "app/project_past.hpp"
#include "app/record_line.hpp"
#include "app/storage.hpp"
#include "commands/command.hpp"
#include "commands/state/record.hpp"
#include "domain/codec/domain_json.hpp"
#include "domain/codec/events.hpp"
#include "domain/support/number.hpp"
#include "eventstore/record_id.hpp"

namespace annolog::app {
namespace {

using eventstore::Offset;
using eventstore::Record;
using eventstore::ShardId;
using nlohmann::ordered_json;

void write_line(const std::string& line) { std::fputs((line + "\n").c_str(), stdout); }

// What people wrote must not steer the terminal.
std::string harmless(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return text;
}

struct ReplayMoment {
  projections::Until until;
  bool is_time = true;

  ComparedMoment compared() const {
    return {until, is_time ? std::optional(until.at) : std::nullopt};
  }
  // False between a time and an offset, too.
  bool lies_before(const ReplayMoment& other) const {
    return is_time == other.is_time &&
           (is_time ? until.at < other.until.at : until.log_offset < other.until.log_offset);
  }
  bool is_before(const Record& record) const {
    return static_cast<std::int64_t>(record.position.offset.value) > until.log_offset ||
           record.headers.time_ms > until.at.ms;
  }
};

ReplayMoment moment_from(const std::string& text) {
  ReplayMoment moment;
  if (text.empty()) return moment;
  if (const auto offset = number_from<std::int64_t>(text); offset && *offset >= 0) {
    moment.until.log_offset = *offset;
    moment.is_time = false;
    return moment;
  }
  const auto at = from_rfc3339(text);
  if (!at)
    throw std::invalid_argument(
        fmt::format("a moment is a time as 2026-01-31T08:00:00Z or an offset, not \"{}\"", text));
  moment.until.at = *at;
  return moment;
}

// All records of a shard, in order, until `take` returns false.
template <class Take>
void each_record(const eventstore::EventLog& log, ShardId shard, Take take) {
  Offset after;
  while (after < log.end(shard)) {
    const auto records = log.read(shard, after, {});
    if (records.empty()) return;
    for (const Record& record : records)
      if (!take(record)) return;
    after = records.back().position.offset;
  }
}

PastEvent past_of(const Record& record) {
  return {static_cast<std::int64_t>(record.position.offset.value),
          {commands::actor_of(record.headers), Timestamp{record.headers.time_ms}},
          codec::decode_event(record.headers.type, record.headers.schema_version, record.data)};
}

// Names of people, as far as their keys open them.
class People {
 public:
  People(const eventstore::EventLog& log, const projections::Unseal& unseal) {
    each_record(log, commands::kDirectory, [&](const Record& record) {
      if (record.headers.type == UserCreated::kType || record.headers.type == UserRenamed::kType)
        take(past_of(record).event, unseal);
      return true;
    });
  }
  std::string name(UserId id) const {
    if (id == kSystemUser) return "service";
    const auto found = names_.find(id);
    return found == names_.end() ? fmt::format("user/{}", id.value) : found->second;
  }

 private:
  void take(const Event& event, const projections::Unseal& unseal) {
    std::visit(
        [&](const auto& e) {
          if constexpr (requires { unseal(e.user_id, e.name); }) {
            if (const auto name = unseal(e.user_id, e.name)) names_[e.user_id] = harmless(*name);
          }
        },
        event);
  }

  std::map<UserId, std::string> names_;
};

// What the event says beside whom it is about.
std::string said(const Record& record) {
  const auto data = ordered_json::parse(record.data, nullptr, false);
  std::string text;
  for (const auto& [name, value] : data.items()) {
    if (name == "project_id" || value.is_null()) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name,
                        value.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
  }
  return text;
}

class Replay {
 public:
  Replay(const eventstore::EventLog& log, const ReplayOptions& options)
      : log_(log),
        options_(options),
        project_(options.project),
        shard_(commands::shard_of(options.project, log.shard_count())) {}

  // Throws std::invalid_argument when there has never been such a project.
  void must_have_project() const {
    bool found = false;
    each_record(log_, shard_, [&](const Record& record) {
      found = record.headers.type == ProjectCreated::kType &&
              is_of_project(past_of(record).event, project_);
      return !found;
    });
    if (!found)
      throw std::invalid_argument(fmt::format("the log has no project {}", project_.value));
  }

  void tell(const projections::Unseal& unseal) const {
    ReplayMoment end = moment_from(options_.until);
    const People people(log_, unseal);
    const std::string log_id = log_.log_info().log_id;
    MergedRecords records(log_, places());
    while (const auto record = records.next()) {
      if (is_behind(end, *record)) break;
      if (is_named_by(end, *record)) end.until.at = Timestamp{record->headers.time_ms};
      const PastEvent past = past_of(*record);
      if (!is_of_project(past.event, project_) || !is_asked_for(past.event)) continue;
      write_line(options_.json ? json_line(*record, log_id)
                               : fmt::format("{}  {:>9}  {}  {}  {}  {}", to_rfc3339(past.how.at),
                                             eventstore::record_id(record->position),
                                             people.name(past.how.actor), record->headers.type,
                                             record->headers.subject, said(*record)));
    }
  }

  void compare() const {
    const ReplayMoment from = moment_from(options_.diff.at(0));
    const ReplayMoment to = moment_from(options_.diff.at(1));
    if (to.lies_before(from))
      throw std::invalid_argument("--diff A B: the second moment lies before the first");
    ProjectPast project(project_);
    bool marked = false;
    each_record(log_, shard_, [&](const Record& record) {
      if (to.is_before(record)) return false;
      if (!marked && from.is_before(record)) {
        project.mark(from.compared());
        marked = true;
      }
      project.add(past_of(record));
      return true;
    });
    if (!marked) project.mark(from.compared());
    for (const auto& [id, difference] : project.differences(to.compared()))
      if (options_.task == 0 || id.value == options_.task) show(id, difference);
  }

 private:
  // The project's own shard, and the directory's, which has its exports (docs/decisions/0008).
  std::vector<MergedRecords::From> places() const {
    std::vector<MergedRecords::From> all = {{shard_, {}}};
    if (shard_ != commands::kDirectory) all.push_back({commands::kDirectory, {}});
    return all;
  }

  // An offset is one of the project's shard; what the directory has is told up to its time.
  bool is_named_by(const ReplayMoment& end, const Record& record) const {
    return record.position.shard == shard_ &&
           static_cast<std::int64_t>(record.position.offset.value) == end.until.log_offset;
  }
  bool is_behind(const ReplayMoment& end, const Record& record) const {
    if (record.position.shard == shard_) return end.is_before(record);
    return record.headers.time_ms > end.until.at.ms;
  }

  bool is_asked_for(const Event& event) const {
    if (options_.task == 0) return true;
    const TaskId wanted{options_.task};
    if (task_of(event) == wanted) return true;
    const auto names = [&](const auto& e) {
      if constexpr (requires { e.task_ids; }) {
        return std::ranges::find(e.task_ids, wanted) != e.task_ids.end();
      } else if constexpr (std::is_same_v<std::remove_cvref_t<decltype(e)>, TasksCreated>) {
        return std::ranges::find(e.tasks, wanted, &NewTask::task_id) != e.tasks.end();
      } else {
        return false;
      }
    };
    return std::visit(names, event);
  }

  void show(TaskId id, api::TaskDifference difference) const {
    difference.from.as_of = options_.diff.at(0);
    difference.to.as_of = options_.diff.at(1);
    if (options_.json) {
      std::string line = codec::to_json_text(difference);
      line.insert(1, fmt::format("\"task_id\":{},", id.value));
      return write_line(line);
    }
    const char* const what = difference.from.version == 0 ? " is new"
                             : difference.to.version == 0 ? " is gone"
                                                          : "";
    write_line(fmt::format("task {}{}", id.value, what));
    for (const auto& [field, change] : difference.task)
      write_line(fmt::format("  {}: {} -> {}", field, change.before.text, change.after.text));
    for (const auto& added : difference.annotations.added)
      write_line(fmt::format("  + annotation {}: {}", added.id.value, harmless(added.class_name)));
    for (const auto& removed : difference.annotations.removed)
      write_line(
          fmt::format("  - annotation {}: {}", removed.id.value, harmless(removed.class_name)));
    for (const auto& changed : difference.annotations.changed)
      write_line(
          fmt::format("  ~ annotation {}: {}", changed.id.value, fmt::join(changed.fields, ", ")));
  }

  const eventstore::EventLog& log_;
  const ReplayOptions& options_;
  const ProjectId project_;
  const ShardId shard_;
};

}  // namespace

int replay(const platform::Settings& settings, platform::Logger& logger,
           const ReplayOptions& options) {
  const auto log = open_for_reading(place_of_log(settings), settings, logger);
  const Replay replay(*log, options);
  replay.must_have_project();
  if (!options.diff.empty()) {
    replay.compare();
    return 0;
  }
  const auto keyring = platform::Keyring::open(DataFolders(settings).keys);
  const auto key_store = open_subject_keys(settings, keyring, logger);
  const auto keys = person_keys(*key_store);
  replay.tell(unseal_with(keys));
  return 0;
}

}  // namespace annolog::app
