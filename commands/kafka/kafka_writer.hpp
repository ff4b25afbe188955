// A writer of some of this process's shards: takes the commands that wait, decides them as a group,
// and commits events, replies and consumed offsets in one transaction. What comes to nothing is
// decided again; what the group has given to others is dropped, since the new owner reads it again,
// or sent to the topic, when it is in none. One thread of its own; start(), stop() and forget()
// from the group member's, push() and waiting() from any.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "commands/kafka/writer_context.hpp"

namespace annolog::commands {

// A command as it came, with what must be true for it to be this process's to decide.
struct WaitingCommand {
  eventstore::ShardId shard;
  std::uint32_t tenure = 0;  // the number of the holding
  std::int64_t kafka_offset = 0;
  eventstore::kafka::KafkaMessage message;  // from the topic; or else
  std::optional<ReceivedCommand> own;       // from this process, and in no topic
};

class KafkaWriter {
 public:
  explicit KafkaWriter(WriterContext& context) : context_(context) {}
  ~KafkaWriter() { stop(); }
  KafkaWriter(const KafkaWriter&) = delete;
  KafkaWriter& operator=(const KafkaWriter&) = delete;

  void start();
  // Ends the group in hand; what waits stays in the topic, or goes there.
  void stop();
  // Takes what `command` holds; false, and it is as it was, once it is stopped.
  bool push(WaitingCommand& command);
  struct Waiting {
    std::size_t own = 0, of_topic = 0;
  };
  Waiting waiting() const;
  // Takes the shard's commands out. `wait`: until the group in hand, if it has some, is done.
  void forget(eventstore::ShardId shard, bool wait);

 private:
  using Taken = std::vector<WaitingCommand>;
  struct Attempt;

  void run();
  // Those of the queue that are `which`; under the mutex.
  template <class Which>
  Taken take_out_of_queue(const Which& which);
  void process(Taken taken);
  // `tried`: how many of them, from the first, a commit was asked for that nobody has answered.
  bool step(Taken& taken, std::size_t& tried);
  // Takes over what is assigned only; false: not possible now.
  bool make_ready(const Taken& taken);
  void take_over(ShardSlot& slot, std::uint32_t number);
  void drop_foreign(Taken& taken);
  void send_on(Taken dropped);
  // Nobody knows what became of those among the first `tried` that are in no topic.
  void give_up_own(Taken& taken, std::size_t tried);
  bool is_owned(const WaitingCommand& command) const;
  eventstore::CommitOutcome attempt(Taken& taken, std::size_t& tried);
  void decide(const Taken& taken, Attempt& attempt);
  void tell(Attempt& attempt);
  // False: the group does not say now.
  bool drop_committed(Taken& taken);
  void forget_cached(const Taken& taken);
  void distrust(const Taken& taken);
  bool stopping() const;
  void pause();

  WriterContext& context_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<WaitingCommand> queue_;
  std::size_t own_in_queue_ = 0;
  std::set<eventstore::ShardId> in_hand_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace annolog::commands
