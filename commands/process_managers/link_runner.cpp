#include "commands/process_managers/link_runner.hpp"

#include <algorithm>
#include <utility>

#include "commands/process_managers/naming.hpp"
#include "commands/state/shard_state.hpp"

namespace annolog::commands {
namespace {

constexpr std::int64_t kStepDeadlineMs = 30'000;
// Steps whose progress is marked together: a restart looks at that many again and finds their tasks
// made.
constexpr int kStepsOfAMark = 10;
constexpr std::chrono::milliseconds kRetryDelay{200};

}  // namespace

LinkRunner::LinkRunner(CommandBus& bus, const eventstore::EventLog& log,
                       const platform::Clock& clock, platform::Logger& logger)
    : bus_(bus), log_(log), clock_(clock), logger_(logger) {}

LinkRunner::~LinkRunner() { stop(); }

void LinkRunner::start() {
  // Now, not on the thread: what is reserved later belongs to a process that still runs.
  unfinished_names_ = pending_names(log_);
  find_backlog();
  thread_ = std::thread([this] { run(); });
}

void LinkRunner::stop() {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void LinkRunner::on_event(const Event& event) {
  if (const auto* linked = std::get_if<DatasetLinked>(&event)) {
    const std::lock_guard guard(mutex_);
    links_.emplace(linked->dataset_id, linked->project_id);
    unasked_[{linked->dataset_id, linked->project_id}] = {};
    wake({linked->dataset_id, linked->project_id});
  } else if (const auto* ready = std::get_if<ItemReady>(&event)) {
    wake_links_of(ready->dataset_id);
  } else if (const auto* registered = std::get_if<ItemsRegistered>(&event)) {
    wake_links_of(registered->dataset_id);
  }
}

void LinkRunner::when_caught_up(DatasetId dataset, ProjectId project, std::int64_t deadline_ms,
                                Done done) {
  {
    const std::lock_guard guard(mutex_);
    if (!stopping_) {
      wake({dataset, project});
      work_[{dataset, project}].waiting.push_back({deadline_ms, std::move(done)});
      return;
    }
  }
  done({});
}

// The link has caught up. Its first windows may have been made before the one who linked asked.
void LinkRunner::answer(const Pair& link, const Work& work) {
  TasksMade made = work.made;
  auto position = work.position;
  {
    const std::lock_guard guard(mutex_);
    if (const auto found = unasked_.find(link); found != unasked_.end()) {
      auto& first = found->second;
      made.created_tasks += first.made.created_tasks;
      made.existing_tasks += first.made.existing_tasks;
      if (!position) position = first.position;
      if (!work.waiting.empty()) {
        unasked_.erase(found);
      } else if (!first.caught_up) {
        first = {made, position, true};
      }
    }
  }
  for (const auto& waiter : work.waiting) waiter.done({made, position, true});
}

void LinkRunner::answer_overdue(Work& work) {
  const auto now = clock_.monotonic_ms();
  std::erase_if(work.waiting, [&](const Waiter& waiter) {
    if (now <= waiter.deadline_ms) return false;
    waiter.done({work.made, work.position, false});
    return true;
  });
}

// Nobody waits for a runner that stopped: what is left goes on at the next start.
void LinkRunner::answer_all() {
  std::map<Pair, Work> left;
  {
    const std::lock_guard guard(mutex_);
    left.swap(work_);
  }
  for (const auto& [link, work] : left) {
    for (const auto& waiter : work.waiting) waiter.done({work.made, work.position, false});
  }
}

void LinkRunner::wake_links_of(DatasetId dataset) {
  const std::lock_guard guard(mutex_);
  const auto [first, last] = links_.equal_range(dataset);
  for (auto it = first; it != last; ++it) wake({dataset, it->second});
}

void LinkRunner::wake(const Pair& link) {
  work_.try_emplace(link);
  if (std::find(turns_.begin(), turns_.end(), link) == turns_.end()) turns_.push_back(link);
  changed_.notify_all();
}

void LinkRunner::find_backlog() {
  for (std::uint16_t s = 0; s < log_.shard_count(); ++s) {
    log_.state(eventstore::ShardId(s))
        ->scan(Key(Table::dataset).bytes(), {}, [&](std::string_view, std::string_view value) {
          const auto dataset = codec::from_binary<DatasetState>(value);
          const std::lock_guard guard(mutex_);
          for (const auto& [project, link] : dataset.links) {
            links_.emplace(dataset.id, project);
            if (link.done_number < dataset.ready_count) wake({dataset.id, project});
          }
          return true;
        });
  }
}

void LinkRunner::run() {
  resume_names();
  for (;;) {
    Pair link;
    Work work;
    {
      std::unique_lock guard(mutex_);
      changed_.wait(guard, [&] { return stopping_ || !turns_.empty(); });
      if (stopping_) break;
      link = turns_.front();
      turns_.pop_front();
      work = std::move(work_[link]);
      work_.erase(link);
    }
    const bool more = advance(link, work);
    if (!more) {
      answer(link, work);
      continue;
    }
    answer_overdue(work);
    const std::lock_guard guard(mutex_);
    wake(link);                 // at the end: the others first
    auto& later = work_[link];  // has those who asked meanwhile, and nothing else
    std::move(later.waiting.begin(), later.waiting.end(), std::back_inserter(work.waiting));
    later = std::move(work);
  }
  answer_all();
}

bool LinkRunner::advance(const Pair& link, Work& work) {
  const auto [dataset, project] = link;
  if (!work.next) {
    auto looked = call(ReadLinkWindow{dataset, project, work.reached});
    if (!looked) return !stopping();
    work.next = std::get<LinkWindow>(std::move(looked->reply).value());
  }
  const LinkWindow window = *std::exchange(work.next, std::nullopt);
  if (window.items.empty()) {
    if (work.unmarked > 0) call(AdvanceLink{dataset, project, work.reached});
    return false;
  }
  // The next window is read while the tasks of this one are made.
  auto making = send(CreateTasks{project, dataset, window.items});
  auto looking = send(ReadLinkWindow{dataset, project, window.last_number});
  auto made = settled(std::move(making));
  auto ahead = settled(std::move(looking));
  if (!made) return !stopping();
  if (ahead) work.next = std::get<LinkWindow>(std::move(ahead->reply).value());
  // Items may be ready by the time that an empty one is looked at: it is read again.
  if (work.next && work.next->items.empty()) work.next.reset();
  if (const auto* tasks = std::get_if<TasksMade>(&made->reply.value())) {
    work.made.created_tasks += tasks->created_tasks;
    work.made.existing_tasks += tasks->existing_tasks;
  }
  work.position = made->position;
  work.reached = window.last_number;
  if (++work.unmarked < kStepsOfAMark) return true;
  call(AdvanceLink{dataset, project, work.reached});
  work.unmarked = 0;
  return true;
}

std::optional<Outcome> LinkRunner::call(Command command) {
  return settled(send(std::move(command)));
}

std::future<Outcome> LinkRunner::send(Command command) {
  auto promise = std::make_shared<std::promise<Outcome>>();
  auto outcome = promise->get_future();
  Envelope envelope;
  envelope.command = std::move(command);
  envelope.actor = kSystemUser;
  envelope.role = Role::super_admin;
  envelope.deadline_ms = clock_.monotonic_ms() + kStepDeadlineMs;
  envelope.done = [promise](Outcome result) { promise->set_value(std::move(result)); };
  bus_.send(std::move(envelope));
  return outcome;
}

// Waits for the outcome; nothing on refusal, after a pause, so that the turn comes again.
std::optional<Outcome> LinkRunner::settled(std::future<Outcome> outcome) {
  Outcome result = outcome.get();  // the bus always answers, at the latest when it stops
  if (result.reply) return result;
  logger_.warn("a process step was refused; it is tried again",
               {{"code", result.reply.error().code}, {"reason", result.reply.error().message}});
  std::unique_lock guard(mutex_);
  changed_.wait_for(guard, kRetryDelay, [&] { return stopping_; });
  return std::nullopt;
}

bool LinkRunner::stopping() {
  const std::lock_guard guard(mutex_);
  return stopping_;
}

void LinkRunner::resume_names() {
  for (const auto& pending : unfinished_names_) {
    constexpr int kSteps = 3;  // create, confirm, and one refusal
    for (int i = 0; i < kSteps && !stopping(); ++i) {
      Command step = next_step(log_, pending);
      const bool last = !std::holds_alternative<CreateProject>(step) &&
                        !std::holds_alternative<CreateDataset>(step);
      if (call(std::move(step)) && last) break;
    }
  }
}

}  // namespace annolog::commands
