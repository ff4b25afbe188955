#include "workers/thumbnails/thumbnail_worker.hpp"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include "commands/send_step.hpp"
#include "domain/dataset/objects.hpp"
#include "platform/give_way.hpp"
#include "platform/named_thread.hpp"
#include "projections/datasets/queries.hpp"
#include "workers/media/thumbnail.hpp"

namespace annolog::workers {
namespace {

constexpr std::int64_t kPageItems = 64;
constexpr std::chrono::seconds kBarrierWait{2};
// For what was put off: no room, a read model that was away, a shard that came from elsewhere.
constexpr std::chrono::seconds kLookAgain{30};

DomainError not_now(std::string message) {
  return {DomainError::Kind::unavailable, "NOT_NOW", std::move(message), {}, {}, 0};
}

}  // namespace

ThumbnailWorker::ThumbnailWorker(const Parts& parts, std::size_t threads)
    : parts_(parts),
      thread_count_(threads),
      made_(parts.metrics.counter({"thumbnails_made_total", "Thumbnails made"})),
      failed_(parts.metrics.counter(
          {"thumbnails_failed_total", "Images of which no thumbnail could be made"})),
      waiting_(parts.metrics.gauge(
          {"thumbnails_waiting", "Images that were found to need a thumbnail; the next page"})),
      seconds_(parts.metrics.histogram({"thumbnail_seconds", "Time to make a thumbnail"})) {}

ThumbnailWorker::~ThumbnailWorker() { stop(); }

void ThumbnailWorker::start() {
  for (std::size_t i = 0; i < thread_count_; ++i)
    threads_.push_back(platform::named_thread("thumbnails", [this] { run(); }));
}

void ThumbnailWorker::finish() {
  const std::lock_guard guard(mutex_);
  stopping_ = true;
  changed_.notify_all();
}

void ThumbnailWorker::stop() {
  finish();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void ThumbnailWorker::own(eventstore::ShardId shard) {
  const std::lock_guard guard(mutex_);
  owned_.insert(shard);
  woken_ = true;
  changed_.notify_all();
}

void ThumbnailWorker::disown(eventstore::ShardId shard) {
  const std::lock_guard guard(mutex_);
  owned_.erase(shard);
  wanted_.erase(shard);
  std::erase_if(queue_, [&](const ItemView& item) {
    return commands::shard_of(item.id.value, parts_.bus.shard_count()) == shard;
  });
}

void ThumbnailWorker::on_event(eventstore::Position at, const Event& event) {
  if (!std::holds_alternative<ItemReady>(event) && !std::holds_alternative<ItemsRegistered>(event))
    return;
  const std::lock_guard guard(mutex_);
  wanted_.insert_or_assign(at.shard, at.offset);
  woken_ = true;
  changed_.notify_one();
}

void ThumbnailWorker::run() {
  platform::give_way();
  while (const auto item = next()) {
    make(*item);
    const std::lock_guard guard(mutex_);
    in_hand_.erase(item->id);
  }
}

bool ThumbnailWorker::look_is_due() const {
  return !looking_ && !owned_.empty() && (woken_ || Steady::now() >= next_look_);
}

std::optional<ItemView> ThumbnailWorker::next() {
  std::unique_lock guard(mutex_);
  for (;;) {
    if (stopping_) return std::nullopt;
    if (!queue_.empty()) {
      ItemView item = std::move(queue_.front());
      queue_.pop_front();
      in_hand_.insert(item.id);
      show_queue();
      return item;
    }
    if (look_is_due()) {
      look(guard);
    } else {
      changed_.wait_for(guard, kLookAgain);
    }
  }
}

// The next page behind what was reached. A walk that has come to the end begins anew when it was
// woken meanwhile: ids of different shards come in no order.
void ThumbnailWorker::look(std::unique_lock<std::mutex>& guard) {
  looking_ = true;
  if (reached_ == ItemId{}) woken_ = false;
  std::vector<std::int64_t> shards;
  for (const auto shard : owned_) shards.push_back(shard.value);
  const auto seen = std::exchange(wanted_, {});
  const ItemId after = reached_;
  guard.unlock();
  std::vector<ItemView> found;
  bool answered = true;
  try {
    found = find_after(after, shards, seen);
  } catch (const std::exception& error) {
    answered = false;
    parts_.logger.warn("thumbnails wait for the read models", {{"error", error.what()}});
  }
  guard.lock();
  looking_ = false;
  const bool ended = found.empty();
  next_look_ = ended ? Steady::now() + kLookAgain : Steady::time_point{};
  reached_ = ended ? ItemId{} : found.back().id;
  if (!answered) woken_ = false;
  take_in(std::move(found));
  changed_.notify_all();
}

std::vector<ItemView> ThumbnailWorker::find_after(
    ItemId after, const std::vector<std::int64_t>& shards,
    const std::map<eventstore::ShardId, eventstore::Offset>& seen) {
  for (const auto& [shard, offset] : seen)
    parts_.barrier.wait(shard, offset, Steady::now() + kBarrierWait);
  const projections::OwnedShards owned{parts_.bus.shard_count(), shards};
  return projections::DatasetQueries(parts_.reads).without_thumbnail(owned, after, kPageItems);
}

void ThumbnailWorker::take_in(std::vector<ItemView> found) {
  for (ItemView& item : found) {
    if (!in_hand_.contains(item.id)) queue_.push_back(std::move(item));
  }
  show_queue();
}

void ThumbnailWorker::show_queue() const { waiting_.set(static_cast<double>(queue_.size())); }

void ThumbnailWorker::make(const ItemView& item) {
  const auto began = Steady::now();
  Result<std::string> made = not_now("");
  try {
    made = make_object(item);
  } catch (const std::bad_alloc&) {
    made = not_now("no memory");
  } catch (const std::system_error& error) {
    made = not_now(error.what());
  }
  seconds_.observe(std::chrono::duration<double>(Steady::now() - began).count());
  if (made || made.error().kind != DomainError::Kind::unavailable) return record(item, made);
  parts_.logger.warn("a thumbnail is put off",
                     {{"item", item.id.value}, {"reason", made.error().message}});
}

Result<std::string> ThumbnailWorker::make_object(const ItemView& item) {
  BOOST_OUTCOME_TRY(auto key, platform::ObjectKey::parse(item.file_path));
  auto reader = parts_.objects.open_read(key);
  if (!reader && reader.error().code == "NOT_FOUND")
    return DomainError{DomainError::Kind::invalid,
                       "OBJECT_MISSING",
                       "Nothing lies at the item's file_path.",
                       {},
                       {},
                       0};
  if (!reader) return std::move(reader).error();
  ThumbnailLimits limits;
  limits.given_up = &stopping_;
  auto thumbnail = make_thumbnail(*reader.value(), limits);
  if (stopping_) return not_now("the service ends");
  BOOST_OUTCOME_TRY(const auto bytes, std::move(thumbnail));
  const std::string path = thumbnail_key_of(item.dataset_id, item.id);
  if (auto stored = store(path, bytes); !stored) {
    return not_now(stored.error().message);  // the image is good: the store is not
  }
  return path;
}

Result<void> ThumbnailWorker::store(const std::string& key,
                                    const std::vector<std::uint8_t>& bytes) {
  BOOST_OUTCOME_TRY(auto parsed, platform::ObjectKey::parse(key));
  BOOST_OUTCOME_TRY(auto writer, parts_.objects.begin_write(parsed, {}));
  BOOST_OUTCOME_TRY(writer->write(std::as_bytes(std::span(bytes))));
  BOOST_OUTCOME_TRY(writer->commit());
  return success();
}

void ThumbnailWorker::record(const ItemView& item, const Result<std::string>& made) {
  commands::Command step;
  if (made) {
    step = RecordThumbnail{item.dataset_id, item.id, made.value()};
  } else {
    step = RecordThumbnailFailure{item.dataset_id, item.id, made.error().message};
  }
  const commands::Outcome outcome =
      commands::send_step(parts_.bus, parts_.clock, std::move(step)).get();
  if (!outcome.reply) {
    // The item was deleted meanwhile, and whoever removes its objects may have been here before.
    const bool gone = outcome.reply.error().kind == DomainError::Kind::not_found;
    if (gone && made) drop_object(made.value());
    return;
  }
  (made ? made_ : failed_).add();
  if (!outcome.position) return;
  // The next look must see it, or the work would be done again.
  const std::lock_guard guard(mutex_);
  auto& wanted = wanted_[outcome.position->shard];
  wanted = std::max(wanted, outcome.position->offset);
}

void ThumbnailWorker::drop_object(const std::string& key) {
  try {
    const auto parsed = platform::ObjectKey::parse(key);
    if (parsed) (void)parts_.objects.remove(parsed.value());
  } catch (const std::system_error& error) {
    parts_.logger.warn("a thumbnail can't be removed", {{"key", key}, {"error", error.what()}});
  }
}

}  // namespace annolog::workers
