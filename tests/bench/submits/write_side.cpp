#include "tests/bench/submits/write_side.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "eventstore/record_codec.hpp"
#include "eventstore/rocksdb/rocksdb_log.hpp"
#include "projections/engine/migrator.hpp"

namespace annolog::bench {
namespace {

using eventstore::Offset;
using eventstore::ShardId;

constexpr std::ptrdiff_t kClients = 64;
constexpr std::int64_t kProjects = 4;
constexpr std::size_t kItemsAtOnce = 500;
constexpr std::chrono::minutes kLongest{10};
constexpr std::size_t kChainBytes = 32;  // of each stored record

std::unique_ptr<eventstore::EventLog> open_log(const std::string& folder) {
  eventstore::RocksdbLogOptions options;
  options.folder = folder;
  return eventstore::open_rocksdb_log(options);
}

commands::RuntimeOptions runtime_options() {
  commands::RuntimeOptions options;
  options.lock_ms = std::int64_t{24} * 3600 * 1000;
  return options;
}

CreateProject project_wish(std::int64_t id) {
  CreateProject wish;
  wish.project_id = ProjectId{id};
  wish.name = "bench project " + std::to_string(id);
  wish.classes_config = {{"car", "#ff0000", {}}};
  wish.owner_id = kAnnotator;
  return wish;
}

CreateTasks tasks_wish(std::int64_t project, std::size_t first, std::size_t count) {
  CreateTasks wish{ProjectId{project}, DatasetId{project}, {}, 0};
  for (std::size_t i = first; i < first + count; ++i) {
    const std::string name = std::to_string(i) + ".png";
    wish.items.push_back({ItemId{static_cast<std::int64_t>(i + 1)}, name,
                          "bench/" + std::to_string(project) + "/" + name, std::nullopt,
                          std::nullopt});
  }
  return wish;
}

}  // namespace

commands::Envelope envelope_of(commands::Command command) {
  commands::Envelope envelope;
  envelope.command = std::move(command);
  envelope.actor = kAnnotator;
  envelope.role = Role::super_admin;
  envelope.request_id = "0198a6b0-0000-7000-8000-000000000000";
  return envelope;
}

WriteSide::WriteSide(const std::string& folder, const std::string& database)
    : logger_(clock_, platform::LogLevel::warn),
      log_(open_log(folder)),
      barrier_(log_->shard_count()),
      counted_(log_->shard_count()),
      places_(kClients),
      born_(log_->shard_count()) {
  projections::Migrator(database).run();
  projections::ProjectorOptions options;
  options.database_url = database;
  projector_ = std::make_unique<projections::Projector>(
      projections::Projector::Dependencies{
          *log_, barrier_, clock_, logger_, metrics_,
          [](UserId, const Sealed&) { return std::optional<std::string>(); }},
      options);
  runtime_ = std::make_unique<commands::Runtime>(
      *log_, clock_, logger_, metrics_, runtime_options(), [this](const std::string& why) {
        logger_.error("the log can't be trusted", {{"error", why}});
        std::terminate();
      });
  runtime_->observe([this](auto events) { observe(events); });
  runtime_->start();
  projector_->start();
}

WriteSide::~WriteSide() {
  runtime_->stop();
  projector_->stop();
}

void WriteSide::observe(std::span<commands::CommittedEvent> events) {
  for (auto& committed : events) {
    if (const auto* created = std::get_if<TasksCreated>(&committed.event)) {
      const std::lock_guard held(mutex_);
      for (const NewTask& task : created->tasks)
        born_.at(committed.at.shard.value).push_back(task.task_id);
    }
    projector_->hand_over(committed.at, committed.bytes, std::move(committed.event));
  }
}

void WriteSide::send(std::size_t count,
                     const std::function<commands::Envelope(std::size_t)>& make) {
  std::string refusal;
  std::atomic<bool> is_refused{false};
  const auto done = [&](const commands::Outcome& outcome) {
    if (!outcome.reply && !is_refused.exchange(true)) {
      const std::lock_guard held(mutex_);
      refusal = outcome.reply.error().code;
    }
    places_.release();
  };
  for (std::size_t i = 0; i < count; ++i) {
    places_.acquire();
    commands::Envelope envelope = make(i);
    envelope.done = done;
    runtime_->send(std::move(envelope));
  }
  for (std::ptrdiff_t i = 0; i < kClients; ++i) places_.acquire();
  places_.release(kClients);  // all are answered
  const std::lock_guard held(mutex_);
  if (is_refused) throw std::runtime_error("a command was refused: " + refusal);
}

void WriteSide::wait_for_read_models() {
  const auto deadline = std::chrono::steady_clock::now() + kLongest;
  for (std::uint16_t i = 0; i < log_->shard_count(); ++i) {
    // A wait ends early while the database is away.
    while (!barrier_.wait(ShardId(i), log_->end(ShardId(i)), deadline)) {
      if (std::chrono::steady_clock::now() > deadline)
        throw std::runtime_error("the read models are behind: " + projector_->detail());
    }
  }
}

std::vector<TaskId> WriteSide::make_tasks(std::size_t count) {
  const std::size_t each = count / kProjects + 1;
  for (std::int64_t project = 1; project <= kProjects; ++project)
    send(1, [&](std::size_t) { return envelope_of(project_wish(project)); });
  for (std::size_t first = 0; first < each; first += kItemsAtOnce) {
    const std::size_t some = std::min(kItemsAtOnce, each - first);
    send(kProjects, [&](std::size_t i) {
      return envelope_of(tasks_wish(static_cast<std::int64_t>(i) + 1, first, some));
    });
  }
  std::vector<TaskId> tasks;
  for (std::size_t i = 0; i < each; ++i)
    for (const auto& of_shard : born_)
      if (i < of_shard.size()) tasks.push_back(of_shard[i]);
  send(tasks.size(), [&](std::size_t i) { return envelope_of(LockTask{tasks[i]}); });
  wait_for_read_models();
  new_bytes();
  return tasks;
}

std::uint64_t WriteSide::new_bytes() {
  std::uint64_t bytes = 0;
  std::string encoded;
  for (std::uint16_t i = 0; i < log_->shard_count(); ++i) {
    for (;;) {
      const auto records = log_->read(ShardId(i), counted_[i], {});
      if (records.empty()) break;
      for (const auto& record : records) {
        encoded.clear();
        eventstore::encode_record(record.headers, record.data, false, encoded);
        bytes += encoded.size() + kChainBytes;
      }
      counted_[i] = records.back().position.offset;
    }
  }
  return bytes;
}

}  // namespace annolog::bench
