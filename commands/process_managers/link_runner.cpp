#include "commands/process_managers/link_runner.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "commands/process_managers/naming.hpp"
#include "commands/process_managers/retry_delay.hpp"
#include "commands/send_step.hpp"
#include "commands/state/shard_state.hpp"
#include "platform/named_thread.hpp"

namespace annolog::commands {
namespace {

// Windows whose progress is marked together: a restart looks at that many again and finds their
// tasks made.
constexpr int kWindowsOfAMark = 10;
// Behind each window of a link, for others' sake (docs/decisions, 0033).
constexpr std::chrono::milliseconds kRest{2};

template <class Map, class Gone>
void erase_where(Map& map, const Gone& gone) {
  std::erase_if(map, [&](const auto& entry) { return gone(entry.first); });
}

}  // namespace

LinkRunner::LinkRunner(CommandBus& bus, const eventstore::EventLog& log,
                       const platform::Clock& clock, platform::Logger& logger,
                       LinkRunnerOptions options)
    : bus_(bus), log_(log), clock_(clock), logger_(logger), options_(options) {}

LinkRunner::~LinkRunner() { stop(); }

void LinkRunner::start() {
  for (std::size_t i = 0; i < options_.threads; ++i)
    threads_.push_back(platform::named_thread("links", [this] { run(); }));
}

void LinkRunner::finish() {
  const std::lock_guard guard(mutex_);
  stopping_ = true;
  changed_.notify_all();
  stopped_.notify_all();
}

void LinkRunner::stop() {
  finish();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void LinkRunner::own(eventstore::ShardId shard) {
  std::vector<NameReserved> names;
  if (shard == kDirectory) names = pending_names(log_);
  std::vector<DatasetState> datasets;
  log_.state(shard)->scan(Key(Table::dataset).bytes(), {},
                          [&](std::string_view, std::string_view value) {
                            datasets.push_back(codec::from_binary<DatasetState>(value));
                            return true;
                          });
  const std::lock_guard guard(mutex_);
  owned_.insert(shard);
  if (shard == kDirectory) {
    unfinished_names_ = std::move(names);
    names_due_ms_ = clock_.monotonic_ms() + options_.names_rest_ms;
  }
  for (const DatasetState& dataset : datasets) {
    links_.erase(dataset.id);
    for (const auto& [project, link] : dataset.links) {
      links_.emplace(dataset.id, project);
      // One that never moved may be of a project that was gone before it was linked.
      const bool waits = link.done_number < dataset.ready_count || link.done_number == 0;
      if (waits) wake({dataset.id, project});
    }
  }
  changed_.notify_all();
}

void LinkRunner::disown(eventstore::ShardId shard) {
  const auto of_shard = [&](DatasetId dataset) {
    return shard_of(dataset.value, log_.shard_count()) == shard;
  };
  const std::lock_guard guard(mutex_);
  owned_.erase(shard);
  if (shard == kDirectory) unfinished_names_.clear();
  erase_where(links_, of_shard);
  erase_where(work_, [&](const Pair& link) { return of_shard(link.first); });
  std::erase_if(turns_, [&](const Pair& link) { return of_shard(link.first); });
}

bool LinkRunner::owns(const Pair& link) const {
  return owned_.contains(shard_of(link.first.value, log_.shard_count()));
}

void LinkRunner::on_event(const Event& event) {
  if (const auto* linked = std::get_if<DatasetLinked>(&event)) {
    const std::lock_guard guard(mutex_);
    links_.emplace(linked->dataset_id, linked->project_id);
    wake({linked->dataset_id, linked->project_id});
  } else if (const auto* unlinked = std::get_if<DatasetUnlinked>(&event)) {
    drop({unlinked->dataset_id, unlinked->project_id});
  } else if (const auto* ready = std::get_if<ItemReady>(&event)) {
    wake_links_of(ready->dataset_id);
  } else if (const auto* registered = std::get_if<ItemsRegistered>(&event)) {
    wake_links_of(registered->dataset_id);
  } else if (const auto* confirmed = std::get_if<NameConfirmed>(&event)) {
    forget_name(confirmed->kind, confirmed->holder_id);
  } else if (const auto* released = std::get_if<NameReleased>(&event)) {
    forget_name(released->kind, released->holder_id);
  }
}

void LinkRunner::forget_name(NameKind kind, std::int64_t holder) {
  const std::lock_guard guard(mutex_);
  std::erase_if(unfinished_names_, [&](const NameReserved& name) {
    return name.kind == kind && name.holder_id == holder;
  });
}

void LinkRunner::wake_links_of(DatasetId dataset) {
  const std::lock_guard guard(mutex_);
  const auto [first, last] = links_.equal_range(dataset);
  for (auto it = first; it != last; ++it) wake({dataset, it->second});
}

void LinkRunner::drop(const Pair& link) {
  const std::lock_guard guard(mutex_);
  std::erase_if(links_, [&](const auto& known) { return Pair(known) == link; });
  work_.erase(link);
  std::erase(turns_, link);
}

void LinkRunner::wake(const Pair& link) {
  work_.try_emplace(link).first->second.forget_empty_look();
  if (std::find(turns_.begin(), turns_.end(), link) == turns_.end()) turns_.push_back(link);
  changed_.notify_one();
}

void LinkRunner::run() {
  for (;;) {
    Pair link;
    Work work;
    {
      std::unique_lock guard(mutex_);
      wait_for_work(guard);
      if (stopping_) return;
      if (names_are_due()) {
        guard.unlock();
        settle_names();
        continue;
      }
      const auto turn = next_turn();
      link = *turn;
      turns_.erase(turn);
      work = std::move(work_[link]);
      work_.erase(link);
      in_hand_.insert(link);
    }
    const bool goes_on = advance(link, work);
    const std::lock_guard guard(mutex_);
    in_hand_.erase(link);
    changed_.notify_one();  // its next turn may have been waiting for this one
    if (!goes_on || !owns(link)) continue;
    if (work_.contains(link)) work.forget_empty_look();  // woken meanwhile
    wake(link);                                          // at the end: the others first
    work_[link] = std::move(work);
  }
}

std::deque<LinkRunner::Pair>::iterator LinkRunner::next_turn() {
  return std::find_if(turns_.begin(), turns_.end(),
                      [&](const Pair& link) { return !in_hand_.contains(link); });
}

bool LinkRunner::names_are_due() const {
  return owned_.contains(kDirectory) && !settling_names_ && clock_.monotonic_ms() >= names_due_ms_;
}

void LinkRunner::wait_for_work(std::unique_lock<std::mutex>& guard) {
  while (!stopping_ && next_turn() == turns_.end() && !names_are_due()) {
    if (owned_.contains(kDirectory) && !settling_names_) {
      changed_.wait_for(guard, std::chrono::milliseconds(names_due_ms_ - clock_.monotonic_ms()));
    } else {
      changed_.wait(guard);
    }
  }
}

bool LinkRunner::advance(const Pair& link, Work& work) {
  const auto [dataset, project] = link;
  if (!work.next) {
    auto looked = call(ReadLinkWindow{dataset, project, work.reached});
    if (!looked) return !stopping();
    work.next = std::get<LinkWindow>(std::move(looked->reply).value());
  }
  const LinkWindow window = *std::exchange(work.next, std::nullopt);
  if (window.link == 0) return false;  // unlinked meanwhile
  if (window.link != work.link) {
    // Unlinked and linked anew: what this work reached was the earlier link's.
    const bool looked_too_far = work.reached > 0;
    work = Work{};
    work.link = window.link;
    if (looked_too_far) return true;
  }
  if (window.items.empty() && work.met_project) {
    if (window.last_number > work.reached) {  // by numbers of items that are gone
      work.reached = window.last_number;
      ++work.unmarked;
    }
    return work.unmarked > 0 && !mark(link, work) && !stopping();
  }
  // The next window is read while the tasks of this one are made. No items at all: the project is
  // asked whether it is there.
  auto making = send_items(link, window);
  auto looking = send(ReadLinkWindow{dataset, project, window.last_number});
  bool all_made = true;
  bool is_gone = false;
  for (auto& each : making) {
    const auto made = settled(std::move(each));
    all_made = all_made && made;
    is_gone = is_gone || (made && std::holds_alternative<std::monostate>(made->reply.value()));
  }
  auto ahead = settled(std::move(looking));
  if (!all_made) return !stopping();
  if (is_gone) return !forget(link) && !stopping();
  work.met_project = true;
  // An empty one ends the turns, unless items became ready after the look (wake).
  if (ahead) work.next = std::get<LinkWindow>(std::move(ahead->reply).value());
  if (window.items.empty()) return true;
  work.reached = window.last_number;
  if (++work.unmarked >= kWindowsOfAMark) mark(link, work);
  pause(kRest);
  return true;
}

void LinkRunner::pause(std::chrono::milliseconds time) {
  std::unique_lock guard(mutex_);
  stopped_.wait_for(guard, time, [&] { return stopping_; });
}

// False: refused for now.
bool LinkRunner::mark(const Pair& link, Work& work) {
  if (!call(AdvanceLink{link.first, link.second, work.reached, work.link})) return false;
  work.unmarked = 0;
  return true;
}

// The project is gone, and the dataset must not name it. False: refused for now.
bool LinkRunner::forget(const Pair& link) {
  const auto shard = shard_of(link.first.value, log_.shard_count());
  return call(ForgetLinks{shard.value, link.second}).has_value();
}

std::optional<Outcome> LinkRunner::call(Command command) {
  return settled(send(std::move(command)));
}

// In parts, together: they are committed as one unless somebody waits.
std::vector<std::future<Outcome>> LinkRunner::send_items(const Pair& link,
                                                         const LinkWindow& window) {
  std::vector<std::future<Outcome>> sent;
  for (std::size_t from = 0; from == 0 || from < window.items.size(); from += kTasksOfAStep) {
    const auto part = std::span(window.items)
                          .subspan(from)
                          .first(std::min(kTasksOfAStep, window.items.size() - from));
    sent.push_back(
        send(CreateTasks{link.second, link.first, {part.begin(), part.end()}, window.link}));
  }
  return sent;
}

std::future<Outcome> LinkRunner::send(Command command) {
  return send_step(bus_, clock_, std::move(command));
}

// Waits for the outcome; nothing on refusal, after a pause, so that the turn comes again.
std::optional<Outcome> LinkRunner::settled(std::future<Outcome> outcome) {
  Outcome result = outcome.get();  // the bus always answers, at the latest when it stops
  if (result.reply) return result;
  logger_.warn("a process step was refused; it is tried again",
               {{"code", result.reply.error().code}, {"reason", result.reply.error().message}});
  pause(kRetryDelay);
  return std::nullopt;
}

bool LinkRunner::stopping() {
  const std::lock_guard guard(mutex_);
  return stopping_;
}

void LinkRunner::settle_names() {
  std::vector<NameReserved> names;
  {
    const std::lock_guard guard(mutex_);
    if (!names_are_due()) return;  // another thread was faster
    // Looked at under the lock: what is settled behind the look is taken out again (on_event).
    names_due_ms_ = clock_.monotonic_ms() + options_.names_look_ms;
    try {
      names = std::exchange(unfinished_names_, pending_names(log_));
    } catch (const std::exception& error) {
      logger_.warn("open reservations of names can't be read", {{"error", error.what()}});
    }
    settling_names_ = true;
  }
  for (const NameReserved& name : names)
    if (!stopping()) settle(name);
  const std::lock_guard guard(mutex_);
  settling_names_ = false;
  changed_.notify_all();
}

// Refused for now, or not readable: the next look finds it again.
void LinkRunner::settle(const NameReserved& name) {
  try {
    if (!is_pending(log_, name)) return;  // its process has ended by itself meanwhile
    const Outcome bearer = send(bearer_step(name)).get();
    if (auto end = settlement(name, bearer)) call(*std::move(end));
  } catch (const std::exception& error) {
    logger_.warn("the reservation of a name can't be settled; it is tried again",
                 {{"name", name.name}, {"error", error.what()}});
  }
}

}  // namespace annolog::commands
