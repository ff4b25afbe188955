// The commands that wait for a writer, in their order, and those that it has in hand. Any thread;
// next_group() from the writer's only.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "commands/kafka/envelope_message.hpp"
#include "eventstore/kafka/message.hpp"
#include "eventstore/record.hpp"

namespace annolog::commands {

// A command as it came, with what must be true for it to be this process's to decide.
struct WaitingCommand {
  eventstore::ShardId shard;
  std::uint32_t tenure = 0;  // the number of the holding
  std::int64_t kafka_offset = 0;
  eventstore::kafka::KafkaMessage message;  // from the topic; or else
  std::optional<ReceivedCommand> own;       // from this process, and in no topic
};

// Those that are `which` are taken out, in their order.
template <class Commands, class Which>
std::vector<WaitingCommand> take_commands(Commands& commands, const Which& which) {
  std::vector<WaitingCommand> taken;
  std::erase_if(commands, [&](WaitingCommand& command) {
    if (!which(command)) return false;
    taken.push_back(std::move(command));
    return true;
  });
  return taken;
}

// Callers that were just answered come with their next wish: a commit that leaves them behind makes
// them wait for two. So a group is kept open for as many as the last one had, while they keep
// coming.
struct Patience {
  std::chrono::milliseconds next_caller{2};
  std::chrono::milliseconds all_callers{10};
};

class CommandQueue {
 public:
  static constexpr std::size_t kGroupMax = 256;

  explicit CommandQueue(Patience patience = {}) : patience_(patience) {}
  // Takes what `command` holds; false, and it is as it was, once it is closed.
  bool push(WaitingCommand& command);
  struct Waiting {
    std::size_t own = 0, of_topic = 0;
  };
  Waiting waiting() const;

  // Waits for commands; empty once it is closed. They are in hand until the next call.
  std::vector<WaitingCommand> next_group();
  std::vector<WaitingCommand> take_out(eventstore::ShardId shard);
  // Until nothing of the shard is in hand, or the queue is closed; or so long.
  void wait_until_done(eventstore::ShardId shard, std::chrono::milliseconds longest);

  void close();
  bool is_closed() const;
  void wait_until_closed(std::chrono::milliseconds longest);
  std::vector<WaitingCommand> take_all();

 private:
  // Waits, a little, until as many wait as `expected`.
  void gather(std::unique_lock<std::mutex>& guard, std::size_t expected);

  const Patience patience_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<WaitingCommand> waiting_;
  std::size_t own_waiting_ = 0;
  std::set<eventstore::ShardId> in_hand_;
  std::size_t last_group_ = 0;
  bool closed_ = false;
};

}  // namespace annolog::commands
