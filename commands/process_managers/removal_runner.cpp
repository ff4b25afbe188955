#include "commands/process_managers/removal_runner.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "commands/process_managers/retry_delay.hpp"
#include "commands/send_step.hpp"
#include "commands/state/key.hpp"
#include "domain/codec/binary.hpp"
#include "domain/project/removal.hpp"
#include "domain/project/unlinking.hpp"
#include "platform/named_thread.hpp"

namespace annolog::commands {
namespace {

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
      turns_([&log](const Job& job) { return shard_of(job.project.value, log.shard_count()); }) {}

RemovalRunner::~RemovalRunner() { stop(); }

void RemovalRunner::start() {
  thread_ = platform::named_thread("removals", [this] { run(); });
}

void RemovalRunner::finish() { turns_.finish(); }

void RemovalRunner::stop() {
  finish();
  if (thread_.joinable()) thread_.join();
}

void RemovalRunner::own(eventstore::ShardId shard) {
  std::vector<Job> found;
  const auto state = log_.state(shard);
  state->scan(Key(Table::removal).bytes(), {}, [&](std::string_view, std::string_view value) {
    const auto removal = codec::from_binary<Removal>(value);
    found.push_back({removal.project_id, removal.asset_id, {}, 0});
    return true;
  });
  state->scan(Key(Table::unlinking).bytes(), {}, [&](std::string_view, std::string_view value) {
    const auto unlinking = codec::from_binary<Unlinking>(value);
    if (!unlinking.is_finished)
      found.push_back({unlinking.project_id, {}, unlinking.dataset_id, unlinking.link});
    return true;
  });
  turns_.own(shard, std::move(found));
}

void RemovalRunner::disown(eventstore::ShardId shard) { turns_.disown(shard); }

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
    job.link = unlinked->link;
  } else {
    return;
  }
  turns_.add(job);
}

void RemovalRunner::run() {
  while (auto job = turns_.take()) {
    const Turn turn = take_turn(*job);
    if (turn == Turn::refused) turns_.rest(kRetryDelay);
    if (turn != Turn::finished) turns_.put_back(*job);
  }
}

RemovalRunner::Turn RemovalRunner::take_turn(Job& job) {
  if (job.dataset) return unlink(job);
  return clear(job) ? Turn::finished : Turn::refused;
}

// One step of the tasks a turn. The link goes last: until then the dataset's items stay, which the
// tasks show.
RemovalRunner::Turn RemovalRunner::unlink(Job& job) {
  const auto removed = settled(job, send(RemoveDatasetTasks{job.project, job.dataset, job.link}));
  if (!removed) return Turn::refused;
  if (std::get<Remains>(removed->reply.value()).any) return Turn::goes_on;
  const bool done = settled(job, send(DropLink{job.dataset, job.project, job.link})) &&
                    settled(job, send(FinishUnlinking{job.project, job.dataset, job.link}));
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
    if (!good || turns_.finishing()) return false;
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
  if (job.refusals++ % kRefusalsOfAWarning != 0 || turns_.finishing()) return;
  logger_.warn("a step of a removal was refused; it is tried again",
               {{"project", job.project.value}, {"reason", why}});
}

}  // namespace annolog::commands
