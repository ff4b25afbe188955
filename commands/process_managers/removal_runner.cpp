#include "commands/process_managers/removal_runner.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "commands/send_step.hpp"
#include "commands/state/key.hpp"
#include "domain/codec/binary.hpp"
#include "domain/project/removal.hpp"
#include "domain/project/unlinking.hpp"

namespace annolog::commands {
namespace {

constexpr std::chrono::milliseconds kRetryDelay{200};
constexpr int kRefusalsOfAWarning = 50;  // the first of so many is told

}  // namespace

RemovalRunner::RemovalRunner(CommandBus& bus, const eventstore::EventLog& log,
                             RemoveObject remove_object, const platform::Clock& clock,
                             platform::Logger& logger)
    : bus_(bus),
      log_(log),
      remove_object_(std::move(remove_object)),
      clock_(clock),
      logger_(logger),
      owned_(log.shard_count()) {}

RemovalRunner::~RemovalRunner() { stop(); }

void RemovalRunner::start() {
  thread_ = std::thread([this] { run(); });
}

void RemovalRunner::finish() {
  const std::lock_guard guard(mutex_);
  stopping_ = true;
  changed_.notify_all();
}

void RemovalRunner::stop() {
  finish();
  if (thread_.joinable()) thread_.join();
}

void RemovalRunner::own(eventstore::ShardId shard) {
  std::vector<Removal> unfinished;
  log_.state(shard)->scan(Key(Table::removal).bytes(), {},
                          [&](std::string_view, std::string_view value) {
                            unfinished.push_back(codec::from_binary<Removal>(value));
                            return true;
                          });
  std::vector<Unlinking> unlinkings;
  log_.state(shard)->scan(Key(Table::unlinking).bytes(), {},
                          [&](std::string_view, std::string_view value) {
                            const auto unlinking = codec::from_binary<Unlinking>(value);
                            if (!unlinking.is_finished) unlinkings.push_back(unlinking);
                            return true;
                          });
  const std::lock_guard guard(mutex_);
  owned_[shard.value] = true;
  for (const Removal& removal : unfinished) add({removal.project_id, removal.asset_id, {}});
  for (const Unlinking& unlinking : unlinkings)
    add({unlinking.project_id, {}, unlinking.dataset_id});
}

void RemovalRunner::disown(eventstore::ShardId shard) {
  const std::lock_guard guard(mutex_);
  owned_[shard.value] = false;
  std::erase_if(jobs_, [&](const Job& job) { return !owns(job); });
}

void RemovalRunner::on_event(const Event& event) {
  Job job;
  if (const auto* project = std::get_if<ProjectDeleted>(&event)) {
    job.project = project->project_id;
  } else if (const auto* asset = std::get_if<GuideAssetDeleted>(&event)) {
    job.project = asset->project_id;
    job.asset = asset->asset_id;
  } else if (const auto* unlinked = std::get_if<ProjectDatasetUnlinked>(&event)) {
    job.project = unlinked->project_id;
    job.dataset = unlinked->dataset_id;
  } else {
    return;
  }
  const std::lock_guard guard(mutex_);
  add(job);
}

void RemovalRunner::add(const Job& job) {
  if (std::ranges::find(jobs_, job) != jobs_.end()) return;
  jobs_.push_back(job);
  changed_.notify_all();
}

bool RemovalRunner::owns(const Job& job) const {
  return owned_[shard_of(job.project.value, log_.shard_count()).value];
}

void RemovalRunner::run() {
  for (;;) {
    Job job;
    {
      std::unique_lock guard(mutex_);
      changed_.wait(guard, [&] { return stopping_ || !jobs_.empty(); });
      if (stopping_) return;
      job = jobs_.front();
      jobs_.pop_front();
    }
    const Turn turn = take_turn(job);
    if (turn == Turn::finished) continue;
    std::unique_lock guard(mutex_);
    if (turn == Turn::refused) changed_.wait_for(guard, kRetryDelay, [&] { return stopping_; });
    if (owns(job)) add(job);  // at the end: the others first
  }
}

RemovalRunner::Turn RemovalRunner::take_turn(Job& job) {
  if (job.dataset) return unlink(job);
  return clear(job) ? Turn::finished : Turn::refused;
}

// One step of the tasks a turn. The link goes last: until then the dataset's items stay, which the
// tasks show.
RemovalRunner::Turn RemovalRunner::unlink(Job& job) {
  const auto removed = settled(job, send(RemoveDatasetTasks{job.project, job.dataset}));
  if (!removed) return Turn::refused;
  if (std::get<Remains>(removed->reply.value()).any) return Turn::goes_on;
  const auto shard = shard_of(job.project.value, log_.shard_count());
  const auto bytes = log_.state(shard)->get(unlinking_key(job.project, job.dataset).bytes());
  if (!bytes) return Turn::finished;  // the project is gone, and its links with it
  const auto link = codec::from_binary<Unlinking>(*bytes).link;
  const bool done = settled(job, send(DropLink{job.dataset, job.project, link})) &&
                    settled(job, send(FinishUnlinking{job.project, job.dataset}));
  return done ? Turn::finished : Turn::refused;
}

bool RemovalRunner::clear(Job& job) {
  const bool whole_project = !job.asset;
  if (whole_project && !(free_name(job) && forget_links(job))) return false;
  if (!remove_objects(job)) return false;
  return settled(job, send(FinishRemoval{job.project, job.asset})).has_value();
}

bool RemovalRunner::free_name(Job& job) {
  return settled(job, send(FreeName{NameKind::project, job.project.value})).has_value();
}

// Any shard may hold datasets that are linked to it. A link that is recorded only now is found by
// the link runner, which asks for the project.
bool RemovalRunner::forget_links(Job& job) {
  std::vector<std::uint16_t> shards(log_.shard_count());
  for (std::size_t i = 0; i < shards.size(); ++i) shards[i] = static_cast<std::uint16_t>(i);
  while (!shards.empty()) {
    std::vector<std::future<Outcome>> forgetting;
    for (const auto shard : shards) forgetting.push_back(send(ForgetLinks{shard, job.project}));
    std::vector<std::uint16_t> left;
    bool good = true;
    for (std::size_t i = 0; i < shards.size(); ++i) {
      const auto outcome = settled(job, std::move(forgetting[i]));
      good = good && outcome;
      if (outcome && std::get<Remains>(outcome->reply.value()).any) left.push_back(shards[i]);
    }
    if (!good || stopping()) return false;
    shards = std::move(left);
  }
  return true;
}

bool RemovalRunner::remove_objects(Job& job) {
  const auto shard = shard_of(job.project.value, log_.shard_count());
  const auto bytes = log_.state(shard)->get(removal_key(job.project, job.asset).bytes());
  if (!bytes) return true;  // finished before
  try {
    for (const auto& key : codec::from_binary<Removal>(*bytes).object_keys) remove_object_(key);
  } catch (const std::exception& error) {
    refused(job, error.what());
    return false;
  }
  return true;
}

std::future<Outcome> RemovalRunner::send(Command command) {
  return send_step(bus_, clock_, std::move(command));
}

// Waits for the outcome; nothing on refusal.
std::optional<Outcome> RemovalRunner::settled(Job& job, std::future<Outcome> outcome) {
  Outcome result = outcome.get();  // the bus always answers, at the latest when it stops
  if (result.reply) return result;
  refused(job, result.reply.error().code + ": " + result.reply.error().message);
  return std::nullopt;
}

void RemovalRunner::refused(Job& job, const std::string& why) {
  if (job.refusals++ % kRefusalsOfAWarning != 0 || stopping()) return;
  logger_.warn("a step of a removal was refused; it is tried again",
               {{"project", job.project.value}, {"reason", why}});
}

bool RemovalRunner::stopping() {
  const std::lock_guard guard(mutex_);
  return stopping_;
}

}  // namespace annolog::commands
