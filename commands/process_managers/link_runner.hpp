// The process "a linked dataset's items become tasks": reads a window of items that wait, creates
// their tasks in the project's shard, moves the link's cursor. Every step is idempotent, so a
// crash or a refusal at any point is taken up again. A link to a project that is gone is taken from
// its dataset. Also finishes name processes that were interrupted, or don't know how they ended.
// It works for the shards that this process owns; how far a link has come is the dataset's own
// state (ReadLink). A few threads, which mostly wait for outcomes, each at another link; links take
// turns window by window, so huge datasets do not hold up others.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "commands/bus.hpp"
#include "domain/events.hpp"
#include "eventstore/event_log.hpp"
#include "platform/clock.hpp"
#include "platform/log.hpp"

namespace annolog::commands {

struct LinkRunnerOptions {
  std::size_t threads = 8;
  // So long a name process that was found unfinished may go on elsewhere: on a node that lives.
  std::int64_t names_rest_ms = 0;
  // Reservations are looked at so often, and settled when the look before has met them already:
  // longer than a name process that is not stuck takes.
  std::int64_t names_look_ms = 60'000;
};

class LinkRunner {
 public:
  // So many tasks a command of another project waits for (WaitingCommands).
  static constexpr std::size_t kTasksOfAStep = 25;

  LinkRunner(CommandBus& bus, const eventstore::EventLog& log, const platform::Clock& clock,
             platform::Logger& logger, LinkRunnerOptions options = {});
  ~LinkRunner();
  LinkRunner(const LinkRunner&) = delete;
  LinkRunner& operator=(const LinkRunner&) = delete;

  void start();
  // No further step begins; those under way are waited for by stop(), so the bus must answer them.
  void finish();
  void stop();

  // The shard is this process's: what earlier runs and owners left is taken up, its events are
  // followed. May be told again. Before new commands are let in, or names reserved since would be
  // taken for forgotten ones.
  void own(eventstore::ShardId shard);
  void disown(eventstore::ShardId shard);

  // Of the shards owned: items that became ready, new links, names that were settled.
  void on_event(const Event& event);

 private:
  using Pair = std::pair<DatasetId, ProjectId>;
  // Done and not marked yet: a restart looks at it again and finds the tasks made.
  struct Work {
    std::int64_t link = 0;           // Link::number
    std::int64_t reached = 0;        // ready_number
    int unmarked = 0;                // windows
    bool met_project = false;        // it was there when it was last asked
    std::optional<LinkWindow> next;  // what waits behind `reached`, when it was looked at already

    void forget_empty_look() {
      if (next && next->items.empty()) next.reset();
    }
  };

  void run();
  void wait_for_work(std::unique_lock<std::mutex>& guard);
  std::deque<Pair>::iterator next_turn();
  bool names_are_due() const;
  void settle_names();
  void settle(const NameReserved& name);
  void forget_name(NameKind kind, std::int64_t holder);
  void wake(const Pair& link);
  void wake_links_of(DatasetId dataset);
  bool owns(const Pair& link) const;
  void pause(std::chrono::milliseconds time);  // or until the stop
  // One window; false when the link has caught up.
  bool advance(const Pair& link, Work& work);
  bool mark(const Pair& link, Work& work);
  bool forget(const Pair& link);
  void drop(const Pair& link);
  std::optional<Outcome> call(Command command);
  std::vector<std::future<Outcome>> send_items(const Pair& link, const LinkWindow& window);
  std::future<Outcome> send(Command command);
  std::optional<Outcome> settled(std::future<Outcome> outcome);
  bool stopping();

  CommandBus& bus_;
  const eventstore::EventLog& log_;
  const platform::Clock& clock_;
  platform::Logger& logger_;
  const LinkRunnerOptions options_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable stopped_;
  std::set<eventstore::ShardId> owned_;
  std::map<Pair, Work> work_;
  std::deque<Pair> turns_;
  std::set<Pair> in_hand_;
  std::multimap<DatasetId, ProjectId> links_;
  std::vector<NameReserved> unfinished_names_;  // that the last look at the directory has met
  std::int64_t names_due_ms_ = 0;
  bool settling_names_ = false;  // one thread at a time: a bearer's shard may be without an owner
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace annolog::commands
