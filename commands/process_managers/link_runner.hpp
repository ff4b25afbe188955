// The process "a linked dataset's items become tasks": reads a window of items that wait, creates
// their tasks in the project's shard, moves the link's cursor. Every step is idempotent, so a
// crash or a refusal at any point is taken up again. Also finishes interrupted name processes at
// start. One thread; links take turns window by window, so a huge dataset does not hold up others.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "commands/bus.hpp"
#include "domain/events.hpp"
#include "eventstore/event_log.hpp"
#include "platform/clock.hpp"
#include "platform/log.hpp"

namespace annolog::commands {

// Where a link stands: the tasks made and found on the way, the last position in the project's
// shard, and whether there is nothing left to do.
struct LinkProgress {
  TasksMade made;
  std::optional<eventstore::Position> position;
  bool caught_up = false;
};

class LinkRunner {
 public:
  LinkRunner(CommandBus& bus, const eventstore::EventLog& log, const platform::Clock& clock,
             platform::Logger& logger);
  ~LinkRunner();
  LinkRunner(const LinkRunner&) = delete;
  LinkRunner& operator=(const LinkRunner&) = delete;

  // Looks for what earlier runs left, then follows the events.
  void start();
  void stop();

  // For Runtime::observe: items that became ready, new links.
  void on_event(const Event& event);

  // Calls `done` once the link has caught up with the items there are now; with what was done until
  // then when `deadline_ms` (monotonic) has passed or the runner stops. On the runner's thread. The
  // link goes on whether or not anybody waits.
  using Done = std::function<void(const LinkProgress&)>;
  void when_caught_up(DatasetId dataset, ProjectId project, std::int64_t deadline_ms, Done done);

 private:
  using Pair = std::pair<DatasetId, ProjectId>;
  struct Waiter {
    std::int64_t deadline_ms = 0;
    Done done;
  };
  struct Work {
    TasksMade made;
    std::optional<eventstore::Position> position;
    std::vector<Waiter> waiting;
    std::int64_t reached = 0;  // ready_number; further than what is marked by `unmarked` steps
    int unmarked = 0;
    std::optional<LinkWindow> next;  // what waits behind `reached`, when it was looked at already
  };
  // What a new link made before anyone asked: its first asker is told the whole.
  struct Unasked {
    TasksMade made;
    std::optional<eventstore::Position> position;
    bool caught_up = false;  // what comes later belongs to later items
  };

  void run();
  void resume_names();
  void find_backlog();
  void wake(const Pair& link);
  void answer_all();
  void answer(const Pair& link, const Work& work);
  void answer_overdue(Work& work);
  void wake_links_of(DatasetId dataset);
  // One window; false when the link has caught up.
  bool advance(const Pair& link, Work& work);
  std::optional<Outcome> call(Command command);
  std::future<Outcome> send(Command command);
  std::optional<Outcome> settled(std::future<Outcome> outcome);
  bool stopping();

  CommandBus& bus_;
  const eventstore::EventLog& log_;
  const platform::Clock& clock_;
  platform::Logger& logger_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Pair, Work> work_;
  std::map<Pair, Unasked> unasked_;
  std::deque<Pair> turns_;
  std::multimap<DatasetId, ProjectId> links_;
  std::vector<NameReserved> unfinished_names_;  // as start() found them
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace annolog::commands
