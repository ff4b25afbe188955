#include "api/change_watch.hpp"

#include <algorithm>
#include <exception>

#include "platform/named_thread.hpp"

namespace annolog::api {
namespace {

// The barrier's own deadline: a shard that rests for longer is armed anew.
constexpr std::chrono::hours kLong{1};

}  // namespace

ChangeWatch::ChangeWatch(Parts parts)
    : parts_(std::move(parts)), state_(std::make_shared<State>()) {
  state_->shards.resize(parts_.shards);
}

void ChangeWatch::start() {
  thread_ = platform::named_thread("changes", [this] { run(); });
}

void ChangeWatch::stop() {
  Waiters left;
  {
    const std::lock_guard guard(state_->mutex);
    state_->stopping = true;
    for (Shard& shard : state_->shards) left.splice(left.end(), shard.waiters);
    state_->changed.notify_all();
  }
  for (Waiter& waiter : left) waiter.callback({false, waiter.place.after});
  if (thread_.joinable()) thread_.join();
}

std::size_t ChangeWatch::waiting() const {
  const std::lock_guard guard(state_->mutex);
  std::size_t count = 0;
  for (const Shard& shard : state_->shards) count += shard.waiters.size();
  return count;
}

void ChangeWatch::wait(const Place& place, Clock::time_point deadline, Callback callback) {
  {
    const std::lock_guard guard(state_->mutex);
    if (!state_->stopping) {
      Shard& shard = state_->shards.at(place.shard.value);
      if (shard.waiters.empty() && !shard.armed) {
        shard.looked = place.after;
        shard.moved = false;
      } else if (shard.looked > place.after) {
        shard.moved = true;  // what came since its last read was looked at before it was here
      }
      shard.waiters.push_back({place, deadline, std::move(callback)});
      state_->changed.notify_one();
      return;
    }
  }
  callback({false, place.after});
}

void ChangeWatch::State::heard(std::size_t shard, bool moved, std::chrono::milliseconds retry) {
  const std::lock_guard guard(mutex);
  shards[shard].armed = false;
  if (moved) shards[shard].moved = true;
  else shards[shard].again = Clock::now() + retry;
  changed.notify_one();
}

ChangeWatch::Waiters ChangeWatch::State::take_late(Clock::time_point now) {
  Waiters late;
  for (Shard& shard : shards) {
    for (auto at = shard.waiters.begin(); at != shard.waiters.end();) {
      const auto next = std::next(at);
      if (at->deadline <= now) late.splice(late.end(), shard.waiters, at);
      at = next;
    }
  }
  return late;
}

void ChangeWatch::run() {
  std::unique_lock lock(state_->mutex);
  while (!state_->stopping) {
    Waiters late = state_->take_late(Clock::now());
    if (!late.empty()) {
      lock.unlock();
      for (Waiter& waiter : late) waiter.callback({false, waiter.place.after});
      lock.lock();
      continue;
    }
    arm(lock);
    if (!state_->stopping) look(lock);
    if (state_->stopping) return;
    const auto moment = next_moment();
    if (moment == Clock::time_point::max()) state_->changed.wait(lock);
    else if (moment > Clock::now()) state_->changed.wait_until(lock, moment);
  }
}

// Without the lock: the barrier may call at once.
void ChangeWatch::arm(std::unique_lock<std::mutex>& lock) {
  const auto now = Clock::now();
  std::vector<std::pair<std::size_t, std::int64_t>> armed;
  for (std::size_t i = 0; i < state_->shards.size(); ++i) {
    Shard& shard = state_->shards[i];
    if (shard.waiters.empty() || shard.armed || shard.moved || now < shard.again) continue;
    shard.armed = true;
    armed.emplace_back(i, shard.looked);
  }
  if (armed.empty()) return;
  lock.unlock();
  for (const auto& [shard, looked] : armed) {
    const eventstore::Offset behind(static_cast<std::uint64_t>(looked) + 1);
    parts_.barrier.when_reached(
        eventstore::ShardId(static_cast<std::uint16_t>(shard)), behind, now + kLong,
        [state = state_, at = shard, retry = parts_.retry](bool moved) {
          state->heard(at, moved, retry);
        },
        projections::ReadBarrier::Hurry::no);
  }
  lock.lock();
}

const std::size_t* ChangeWatch::Question::find(const Place& place) const {
  const auto found = at.find({place.project_id.value, place.after});
  return found == at.end() ? nullptr : &found->second;
}

ChangeWatch::Question ChangeWatch::next_question(Clock::time_point now) {
  Question question;
  for (std::size_t i = 0; i < state_->shards.size(); ++i) {
    Shard& shard = state_->shards[i];
    if (shard.waiters.empty() || !shard.moved || now < shard.again) continue;
    shard.moved = false;
    const eventstore::ShardId id(static_cast<std::uint16_t>(i));
    question.applied[i] = static_cast<std::int64_t>(parts_.barrier.applied(id).value);
    for (const Waiter& waiter : shard.waiters) {
      const bool is_new = question.at
                              .try_emplace({waiter.place.project_id.value, waiter.place.after},
                                           question.places.size())
                              .second;
      if (is_new) question.places.push_back(waiter.place);
    }
  }
  return question;
}

void ChangeWatch::look(std::unique_lock<std::mutex>& lock) {
  const auto now = Clock::now();
  if (now < next_look_) return;
  const Question question = next_question(now);
  if (question.places.empty()) return;
  next_look_ = now + parts_.pause;
  lock.unlock();
  News news;
  bool answered = false;
  try {
    news = parts_.ask(question.places);
    answered = true;
  } catch (const std::exception& error) {
    parts_.logger.warn("the read models can't be asked what is new", {{"error", error.what()}});
  }
  lock.lock();
  if (!answered) return put_off(question);
  Waiters told = settle(question, news);
  lock.unlock();
  for (Waiter& waiter : told) waiter.callback({true, waiter.place.after});
  lock.lock();
}

void ChangeWatch::put_off(const Question& question) {
  for (const auto& [shard, applied] : question.applied) {
    state_->shards[shard].moved = true;
    state_->shards[shard].again = Clock::now() + parts_.retry;
  }
}

// Takes out those who have news. Who has come meanwhile and was not asked for is asked for next.
ChangeWatch::Waiters ChangeWatch::settle(const Question& question, const News& news) {
  Waiters told;
  for (const auto& [index, applied] : question.applied) {
    Shard& shard = state_->shards[index];
    shard.looked = std::min(applied, news.looked.at(index));
    for (auto at = shard.waiters.begin(); at != shard.waiters.end();) {
      const auto next = std::next(at);
      const std::size_t* const asked = question.find(at->place);
      if (asked == nullptr) {
        shard.moved = shard.moved || shard.looked > at->place.after;
      } else if (news.any.at(*asked)) {
        told.splice(told.end(), shard.waiters, at);
      } else {
        at->place.after = std::max(at->place.after, shard.looked);
      }
      at = next;
    }
  }
  return told;
}

ChangeWatch::Clock::time_point ChangeWatch::next_moment() const {
  auto moment = Clock::time_point::max();
  for (const Shard& shard : state_->shards) {
    if (shard.waiters.empty()) continue;
    for (const Waiter& waiter : shard.waiters) moment = std::min(moment, waiter.deadline);
    if (shard.moved) moment = std::min(moment, std::max(shard.again, next_look_));
    else if (!shard.armed) moment = std::min(moment, shard.again);
  }
  return moment;
}

}  // namespace annolog::api
