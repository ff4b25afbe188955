// The process "what is deleted leaves nothing behind". After `project.deleted`: its name is freed
// in the directory, its links go from the datasets of every shard, the bytes of its guide go from
// the object store. After `guide_asset.deleted`: the image's bytes go. After
// `project.dataset_unlinked`: the tasks made of the dataset go, some at a time, then the dataset
// forgets the link. Then the removal is recorded as finished. Every step may be repeated, so a
// crash or a refusal at any point is taken up again by whoever owns the project's shard; what is
// left is that shard's own state (ReadRemoval, ReadUnlinking). One thread, which mostly waits for
// outcomes. own(), disown() and on_event() from any.
#pragma once

#include <functional>
#include <future>
#include <optional>
#include <string>
#include <thread>

#include "commands/bus.hpp"
#include "commands/process_managers/shard_turns.hpp"
#include "domain/events.hpp"
#include "eventstore/event_log.hpp"
#include "platform/clock.hpp"
#include "platform/log.hpp"

namespace annolog::commands {

class RemovalRunner {
 public:
  // Removing what is not there is no error. May block; throws when the store fails.
  using RemoveObject = std::function<void(const std::string& key)>;

  RemovalRunner(CommandBus& bus, const eventstore::EventLog& log, RemoveObject remove_object,
                const platform::Clock& clock, platform::Logger& logger);
  ~RemovalRunner();
  RemovalRunner(const RemovalRunner&) = delete;
  RemovalRunner& operator=(const RemovalRunner&) = delete;

  void start();
  // No further step begins; the one under way is waited for by stop(), so the bus must answer it.
  void finish();
  void stop();

  // The shard is this process's: what earlier runs and owners left is taken up. May be told again.
  void own(eventstore::ShardId shard);
  void disown(eventstore::ShardId shard);

  // Of the shards owned, after the commit.
  void on_event(const Event& event);

 private:
  struct Job {
    ProjectId project;
    GuideAssetId asset;     // 0: the project itself, unless
    DatasetId dataset;      // this one leaves it
    std::int64_t link = 0;  // its, that ended
    int refusals = 0;
    bool operator==(const Job& other) const {
      return project == other.project && asset == other.asset && dataset == other.dataset &&
             link == other.link;
    }
  };

  void run();
  enum class Turn { finished, goes_on, refused };
  Turn take_turn(Job& job);
  Turn unlink(Job& job);
  // False: refused for now.
  bool clear(Job& job);
  bool free_name(Job& job);
  bool forget_links(Job& job);
  bool remove_objects(Job& job);
  std::future<Outcome> send(Command command);
  std::optional<Outcome> settled(Job& job, std::future<Outcome> outcome);
  void refused(Job& job, const std::string& why);

  CommandBus& bus_;
  const eventstore::EventLog& log_;
  const RemoveObject remove_object_;
  const platform::Clock& clock_;
  platform::Logger& logger_;

  ShardTurns<Job> turns_;
  std::thread thread_;
};

}  // namespace annolog::commands
