#include "projections/engine/projector.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "platform/named_thread.hpp"
#include "platform/random.hpp"
#include "projections/engine/announcements.hpp"
#include "projections/engine/batch_applier.hpp"
#include "projections/engine/birth_pace.hpp"
#include "projections/engine/control.hpp"
#include "projections/engine/fresh_events.hpp"
#include "projections/engine/log_parked.hpp"
#include "projections/engine/log_progress.hpp"
#include "projections/engine/projector_metrics.hpp"
#include "projections/engine/rebuild.hpp"
#include "projections/engine/rebuild_reason.hpp"
#include "projections/engine/send_rate.hpp"
#include "projections/engine/settling.hpp"
#include "projections/engine/shard_assignment.hpp"
#include "projections/engine/wakeup.hpp"

namespace annolog::projections {
using eventstore::Offset;
using eventstore::ShardId;
namespace {

// Another process swapped the read models: what to do is read the control row again, at once.
struct GenerationGone {};

// PostgreSQL and the disk are others', too.
std::int64_t rest_behind(std::int64_t work_ms) {
  return std::max<std::int64_t>(1, work_ms * 3 / 4);
}

}  // namespace

struct Projector::Impl {
  Impl(Dependencies d, ProjectorOptions o)
      : deps(std::move(d)),
        options(std::move(o)),
        metrics(deps.metrics),
        assignment(deps.log.shard_count(), !options.one_of_many),
        progress(deps.log.shard_count(), deps.barrier,
                 [this](ShardId shard) { return assignment.owns(shard); }),
        fresh(deps.log.shard_count(), options.fresh_bytes),
        announcements(deps.log.shard_count(), deps.logger),
        rate(options.gather_ms, options.busy_per_s) {
    deps.barrier.on_wait([this] { wanted.set(); });
  }

  void run();
  void session();
  void refresh_generation(PgConnection& connection);
  void follow(PgConnection& connection, std::int64_t generation);
  void announce_gap(const Positions& reached);
  void rest();
  void gather(const LogReader& reader);
  bool finish(BatchApplier& applier, ReadBatch& batch, const Settling& settling);
  void settle(BatchApplier& applier, Settling& settling);
  void committed(const ReadBatch& batch, const Settling& settling);
  void on_parked(const ReadRecord& read);
  void on_end(ShardId shard, Offset end);
  void wait_for_work(PgConnection& connection, const LogReader& reader, const Settling& settling);
  void back_off(const std::string& reason);
  void set_state(bool is_healthy, std::string text);
  void update_lag();
  LogReader make_reader();

  Dependencies deps;
  ProjectorOptions options;
  ProjectorMetrics metrics;
  ShardAssignment assignment;
  LogProgress progress;
  FreshEvents fresh;
  Announcements announcements;
  SendRate rate;
  std::int64_t settle_from_ms = 0;  // not earlier
  std::int64_t retry_ms = 0;
  std::atomic<bool> healthy{false};
  std::atomic<bool> stopping{false};
  Wakeup wakeup;                    // records came, or stop
  Wakeup wanted;                    // a reader waits, or stop
  mutable std::mutex mutex;         // for the two below
  std::condition_variable changed;  // stop, for the pause after a failure
  std::string detail = "not started";
  std::thread thread;
  std::unique_ptr<eventstore::Subscription> subscription;
};

LogReader Projector::Impl::make_reader() {
  return LogReader(
      deps.log,
      [this](ShardId shard) { return assignment.serves(shard) ? progress.end(shard) : Offset{}; },
      {options.batch_records, options.batch_bytes}, &fresh);
}

void Projector::Impl::on_end(ShardId shard, Offset end) {
  progress.on_end(shard, end, deps.clock.monotonic_ms());
  wakeup.set();
}

void Projector::Impl::set_state(bool is_healthy, std::string text) {
  healthy = is_healthy;
  metrics.healthy.set(is_healthy ? 1 : 0);
  const std::lock_guard lock(mutex);
  detail = std::move(text);
}

void Projector::Impl::run() {
  set_state(false, "connecting to PostgreSQL");
  while (!stopping) {
    assignment.serve();
    try {
      session();
    } catch (const GenerationGone&) {
      deps.logger.info("the read models were swapped, going on with the new ones");
    } catch (const RebuildCancelled&) {
    } catch (const std::exception& error) {
      back_off(error.what());
    }
  }
  set_state(false, "stopped");
}

void Projector::Impl::back_off(const std::string& reason) {
  if (stopping) return;
  deps.barrier.lose();  // PostgreSQL may come back without its last commits
  set_state(false, reason);
  metrics.failures.add();
  retry_ms = std::clamp(retry_ms * 2, options.retry_least_ms, options.retry_most_ms);
  const std::int64_t pause_ms =
      retry_ms / 2 + platform::random_below(static_cast<std::uint32_t>(retry_ms / 2 + 1));
  deps.logger.warn("the read models can't be kept up to date, trying again",
                   {{"error", reason}, {"retry_ms", pause_ms}});
  update_lag();
  std::unique_lock lock(mutex);
  changed.wait_for(lock, std::chrono::milliseconds(pause_ms), [&] { return stopping.load(); });
}

void Projector::Impl::refresh_generation(PgConnection& connection) {
  auto control = load_control(connection);
  if (!control) throw PgUnavailable("the database has no read models: migrate it first");
  std::string reason = reason_to_rebuild(*control, deps.log.log_info().log_id);
  if (reason.empty()) {
    if (!control->log_id) bind_log(connection, deps.log.log_info().log_id);
    const Positions at = load_positions(connection, control->generation, deps.log.shard_count());
    if (!options.one_of_many) reason = reason_to_rebuild(at, deps.log);
  }
  if (reason.empty()) return;
  deps.logger.warn("rebuilding the read models", {{"reason", reason}});
  set_state(false, "rebuilding the read models");
  const auto report =
      rebuild_read_models(deps.log, deps.unseal, deps.logger,
                          {.database_url = options.database_url,
                           .on_progress = [this](const RebuildProgress&) { update_lag(); },
                           .cancelled = [this] { return stopping.load(); }});
  deps.logger.info("rebuilt the read models", {{"records", report.records}});
}

void Projector::Impl::session() {
  PgConnection connection({.database_url = options.database_url,
                           .application_name = "annolog-projector",
                           .search_path = kLiveSchema,
                           .connect_ms = options.connect_ms,
                           .statement_ms = options.statement_ms,
                           .read_only = false,
                           .keyed_plans = true,
                           .stopping = [this] { return stopping.load(); }});
  refresh_generation(connection);
  const auto control = load_control(connection);
  follow(connection, control->generation);
}

// The database may be ahead of what was announced here (a rebuild overtook this projector) or
// behind it (PostgreSQL lost its last commits).
void Projector::Impl::announce_gap(const Positions& reached) {
  announcements.catch_up(reached, make_reader());
  for (std::size_t i = 0; i < reached.size(); ++i) {
    deps.barrier.set(ShardId{static_cast<std::uint16_t>(i)}, reached[i]);
  }
  deps.barrier.regain();
  // Nothing was missing since the start: the next record's age counts from when it comes.
  if (progress.lag_records() == 0) progress.on_applied(0, deps.clock.monotonic_ms());
}

void Projector::Impl::follow(PgConnection& connection, std::int64_t generation) {
  LogReader reader = make_reader();
  const Positions positions = load_positions(connection, generation, deps.log.shard_count());
  reader.start_at(positions, load_parked_subjects(connection, generation));
  Settling settling(connection, [this](ShardId shard) { return assignment.owns(shard); },
                    {.tasks_at_once = options.settle_tasks, .tasks_a_step = options.settle_step});
  settling.load();
  for (std::uint16_t i = 0; i < deps.log.shard_count(); ++i) {
    deps.barrier.set_settled(ShardId{i}, !settling.any(ShardId{i}));
  }
  announce_gap(positions);
  BatchApplier applier(
      connection, reader, deps.unseal, settling, generation,
      [this](const ReadRecord& read) { on_parked(read); },
      options.one_of_many ? BatchApplier::Telling::others : BatchApplier::Telling::nobody);
  retry_ms = 0;
  set_state(true, "");
  BirthPace pace(options.batch_records, options.births_max);
  bool rests = false;  // behind the batch that is under way
  std::optional<ReadBatch> under_way;
  while (!stopping || under_way) {
    // What comes while PostgreSQL works joins one batch, which costs it less than two; only a full
    // batch that waits already is taken up meanwhile.
    if (under_way && (rests || reader.waiting() < options.batch_records ||
                      assignment.is_outdated() || settling.any())) {
      finish(applier, *under_way, settling);
      under_way.reset();
      if (std::exchange(rests, false)) rest();
    }
    if (assignment.is_outdated() && !under_way) return;
    if (settling.any() && deps.clock.monotonic_ms() >= settle_from_ms) settle(applier, settling);
    else if (!under_way) gather(reader);
    ReadBatch batch;
    if (!stopping) batch = reader.next(pace.records());
    if (batch.empty()) {
      if (under_way) {
        finish(applier, *under_way, settling);
        under_way.reset();
      } else {
        wait_for_work(connection, reader, settling);
      }
      continue;
    }
    // PostgreSQL works on the batch before while this one is decoded and folded.
    auto prepared = applier.prepare(batch);
    if (under_way && finish(applier, *under_way, settling)) prepared = applier.prepare(batch);
    rate.sent(deps.clock.monotonic_ms(), batch.size());
    applier.send(prepared);
    rests = pace.took(batch.size(), births_of(batch));
    under_way = std::move(batch);
  }
}

// Behind a batch with many new tasks.
void Projector::Impl::rest() {
  const std::int64_t now_ms = deps.clock.monotonic_ms();
  const std::int64_t until_ms = now_ms + rest_behind(now_ms - rate.sent_at_ms());
  while (!stopping) {
    wanted.clear();
    const std::int64_t left_ms = until_ms - deps.clock.monotonic_ms();
    if (left_ms <= 0) return;
    wanted.wait(left_ms);
  }
}

void Projector::Impl::gather(const LogReader& reader) {
  wanted.clear();
  if (!rate.is_busy()) return;
  const std::int64_t left_ms = rate.sent_at_ms() + options.gather_ms - deps.clock.monotonic_ms();
  const auto waiting = reader.waiting();
  if (left_ms <= 0 || waiting == 0 || waiting >= options.batch_records) return;
  if (stopping || deps.barrier.waiting() > 0) return;
  wanted.wait(left_ms);
}

// True when something was parked that the next batch may not know of.
bool Projector::Impl::finish(BatchApplier& applier, ReadBatch& batch, const Settling& settling) {
  bool parked = false;
  try {
    applier.finish();
  } catch (const PgError& error) {
    if (error.sqlstate() == kGenerationGone) throw GenerationGone{};
    if (!error.is_data_error()) throw;
    parked = applier.apply_piecewise(batch);
  }
  metrics.batch_seconds.observe(static_cast<double>(deps.clock.monotonic_ms() - rate.sent_at_ms()) /
                                1e3);
  committed(batch, settling);
  return parked;
}

// Nothing is under way. One step a batch of events: neither waits long for the other. Between two
// steps PostgreSQL and the disk are left to others for a while.
void Projector::Impl::settle(BatchApplier& applier, Settling& settling) {
  const std::int64_t began_ms = deps.clock.monotonic_ms();
  const auto settled = settling.step();
  const std::int64_t now_ms = deps.clock.monotonic_ms();
  settle_from_ms = now_ms + rest_behind(now_ms - began_ms);
  for (const ShardId shard : settled) deps.barrier.set_settled(shard, true);
  applier.tell_settled(settled, deps.barrier);
}

void Projector::Impl::committed(const ReadBatch& batch, const Settling& settling) {
  metrics.batches.add();
  metrics.records.add(static_cast<double>(batch.size()));
  for (const ReadRecord& read : batch) {
    if (!read.event) on_parked(read);
  }
  announcements.announce(batch);
  std::vector<eventstore::Position> reached;
  for (const ReadRecord& read : batch) {
    const auto& at = read.record.position;
    if (reached.empty() || reached.back().shard != at.shard) reached.push_back(at);
    reached.back() = at;
  }
  settling.announce(deps.barrier);
  for (const auto& at : reached) deps.barrier.set(at.shard, at.offset);
  if (batch.empty()) return;
  progress.on_applied(deps.clock.now().ms - batch.back().record.headers.time_ms,
                      deps.clock.monotonic_ms());
  update_lag();
}

void Projector::Impl::on_parked(const ReadRecord& read) {
  metrics.parked.add();
  log_parked(deps.logger, read);
}

// A connection that dies while there is nothing to do counts too: PostgreSQL may have lost its last
// commits, and readers would see old rows until the next event.
void Projector::Impl::wait_for_work(PgConnection& connection, const LogReader& reader,
                                    const Settling& settling) {
  wakeup.clear();
  if (stopping || assignment.is_outdated() || !reader.at_end()) return;
  if (settling.any()) {
    return wakeup.wait(std::max<std::int64_t>(0, settle_from_ms - deps.clock.monotonic_ms()));
  }
  connection.wait_idle(wakeup.fd());
}

void Projector::Impl::update_lag() {
  metrics.lag_records.set(static_cast<double>(progress.lag_records()));
  metrics.lag_seconds.set(static_cast<double>(progress.lag_ms(deps.clock.monotonic_ms())) / 1e3);
}

Projector::Projector(Dependencies dependencies, ProjectorOptions options)
    : impl_(std::make_unique<Impl>(std::move(dependencies), std::move(options))) {}

Projector::~Projector() {
  stop();
  impl_->deps.barrier.on_wait({});
}

void Projector::on_commit(CommitListener listener) {
  impl_->announcements.add(std::move(listener));
}

void Projector::start(const std::optional<Positions>& known) {
  Impl* impl = impl_.get();
  if (known) impl->announcements.begin_behind(*known);
  impl->subscription =
      impl->deps.log.subscribe([impl](ShardId shard, Offset end) { impl->on_end(shard, end); });
  for (std::uint16_t i = 0; i < impl->deps.log.shard_count(); ++i)
    impl->on_end(ShardId{i}, impl->deps.log.end(ShardId{i}));
  impl->thread = platform::named_thread("projector", [impl] { impl->run(); });
}

void Projector::hand_over(eventstore::Position at, std::size_t bytes, Event event) {
  impl_->fresh.put(at, bytes, std::move(event));
}

void Projector::assign(std::span<const eventstore::ShardId> shards) {
  impl_->assignment.add(shards);
  for (const ShardId shard : shards) impl_->on_end(shard, impl_->deps.log.end(shard));
  impl_->wanted.set();
}

void Projector::revoke(std::span<const eventstore::ShardId> shards, std::int64_t wait_ms) {
  impl_->assignment.remove(shards);
  impl_->wakeup.set();
  impl_->wanted.set();
  impl_->assignment.wait_until_served(std::chrono::milliseconds(wait_ms));
}

void Projector::stop() {
  impl_->subscription.reset();
  impl_->stopping = true;
  impl_->assignment.close();
  impl_->wakeup.set();
  impl_->wanted.set();
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->changed.notify_all();
  }
  if (impl_->thread.joinable()) impl_->thread.join();
}

bool Projector::healthy() const { return impl_->healthy; }
std::string Projector::detail() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->detail;
}

void Projector::publish_lag() const { impl_->update_lag(); }
std::uint64_t Projector::lag_records() const { return impl_->progress.lag_records(); }
std::int64_t Projector::lag_ms() const {
  return impl_->progress.lag_ms(impl_->deps.clock.monotonic_ms());
}

}  // namespace annolog::projections
