#include "workers/backfill/backfill_worker.hpp"

#include <chrono>
#include <utility>
#include <variant>
#include <vector>

#include "commands/send_step.hpp"
#include "platform/give_way.hpp"
#include "platform/named_thread.hpp"
#include "projections/datasets/queries.hpp"
#include "workers/media/measure_items.hpp"

namespace annolog::workers {
namespace {

constexpr std::int64_t kStepItems = 100;
constexpr std::chrono::seconds kReadWait{2};
constexpr std::chrono::seconds kRetryDelay{1};

}  // namespace

BackfillWorker::BackfillWorker(const Parts& parts)
    : parts_(parts), turns_([&bus = parts.bus](DatasetId dataset) {
        return commands::shard_of(dataset.value, bus.shard_count());
      }) {}

BackfillWorker::~BackfillWorker() { stop(); }

void BackfillWorker::start() {
  thread_ = platform::named_thread("backfill", [this] { run(); });
}

void BackfillWorker::finish() { turns_.finish(); }

void BackfillWorker::stop() {
  finish();
  if (thread_.joinable()) thread_.join();
}

void BackfillWorker::own(eventstore::ShardId shard) {
  turns_.own(shard, commands::running_backfills(parts_.log, shard));
}

void BackfillWorker::disown(eventstore::ShardId shard) { turns_.disown(shard); }

void BackfillWorker::on_event(const Event& event) {
  if (const auto* started = std::get_if<DatasetBackfillStarted>(&event))
    turns_.add(started->dataset_id);
}

void BackfillWorker::run() {
  platform::give_way();
  while (const auto dataset = turns_.take()) {
    const Turn turn = advance(*dataset);
    if (turn == Turn::put_off) turns_.rest(kRetryDelay);
    if (turn != Turn::ended) turns_.put_back(*dataset);
  }
}

BackfillWorker::Turn BackfillWorker::advance(DatasetId dataset) {
  try {
    const commands::Outcome seen =
        commands::send_step(parts_.bus, parts_.clock, commands::ReadBackfill{dataset}).get();
    if (!seen.reply) {
      const DomainError& error = seen.reply.error();
      if (error.kind == DomainError::Kind::not_found) return Turn::ended;
      return put_off("a backfill's state can't be read", error.message);
    }
    const auto& job = std::get<BackfillState>(seen.reply.value());
    if (!job.is_running()) return Turn::ended;
    // What is ready now must be there to be found.
    if (seen.position && !parts_.barrier.wait(seen.position->shard, seen.position->offset,
                                              std::chrono::steady_clock::now() + kReadWait))
      return put_off("a backfill waits for the read models", "they are behind");
    return step(job);
  } catch (const std::exception& error) {
    return put_off("a backfill's step failed", error.what());
  }
}

BackfillWorker::Turn BackfillWorker::step(const BackfillState& job) {
  const auto page =
      projections::DatasetQueries(parts_.reads).unmeasured(job.dataset_id, job.reached, kStepItems);
  auto measured = measure_items(parts_.objects, parts_.logger, page.items, &turns_.finishing());
  if (turns_.finishing()) return Turn::goes_on;  // taken up by whoever comes next
  AdvanceBackfill command{job.dataset_id,
                          job.number,
                          job.reached,
                          std::move(measured.sizes),
                          std::move(measured.failed),
                          page.next};
  const commands::Outcome done =
      commands::send_step(parts_.bus, parts_.clock, std::move(command)).get();
  if (done.reply || done.reply.error().kind == DomainError::Kind::not_found) return Turn::goes_on;
  return put_off("a backfill's step was refused", done.reply.error().message);
}

BackfillWorker::Turn BackfillWorker::put_off(const char* why, const std::string& reason) {
  if (!turns_.finishing()) parts_.logger.warn(why, {{"reason", reason}});
  return Turn::put_off;
}

}  // namespace annolog::workers
