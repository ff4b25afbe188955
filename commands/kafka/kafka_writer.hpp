// A writer of some of this process's shards: takes the commands that wait, decides them as a group,
// and commits events, replies and consumed offsets in one transaction. What comes to nothing is
// decided again; what the group has given to others is dropped, since the new owner reads it again,
// or sent to the topic, when it is in none. One thread of its own; start(), stop() and forget()
// from the group member's, push() and waiting() from any.
#pragma once

#include <map>
#include <thread>
#include <vector>

#include "commands/kafka/command_queue.hpp"
#include "commands/kafka/writer_context.hpp"

namespace annolog::commands {

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
  bool push(WaitingCommand& command) { return queue_.push(command); }
  CommandQueue::Waiting waiting() const { return queue_.waiting(); }
  // Takes the shard's commands out. `wait`: until the group in hand, if it has some, is done.
  void forget(eventstore::ShardId shard, bool wait);

 private:
  using Taken = std::vector<WaitingCommand>;
  struct Attempt;

  void run();
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

  WriterContext& context_;
  CommandQueue queue_;
  std::thread thread_;
};

}  // namespace annolog::commands
