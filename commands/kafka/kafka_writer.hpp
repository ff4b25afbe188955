// A writer of some of this process's shards: takes the commands that wait, decides them as a group,
// and commits events, replies and consumed offsets in one transaction. What comes to nothing is
// decided again; what the group has given to others is dropped, since the new owner reads it again.
// One thread of its own; everything else from the group member's thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "commands/kafka/writer_context.hpp"

namespace annolog::commands {

// A command as it came, with what must be true for it to be this process's to decide.
struct WaitingCommand {
  eventstore::ShardId shard;
  std::uint64_t tenure = 0;
  std::int64_t kafka_offset = 0;
  eventstore::kafka::KafkaMessage message;
};

class KafkaWriter {
 public:
  explicit KafkaWriter(WriterContext& context) : context_(context) {}
  ~KafkaWriter() { stop(); }
  KafkaWriter(const KafkaWriter&) = delete;
  KafkaWriter& operator=(const KafkaWriter&) = delete;

  void start();
  // Ends the group in hand; what waits stays in the topic.
  void stop();
  void push(WaitingCommand command);
  std::size_t waiting() const;
  // Takes the shard's commands out. `wait`: until the group in hand, if it has some, is done.
  void forget(eventstore::ShardId shard, bool wait);

 private:
  using Taken = std::vector<WaitingCommand>;
  struct Attempt;

  void run();
  void process(Taken taken);
  bool step(Taken& taken);
  // Takes over what is assigned only; false: not possible now.
  bool make_ready(const Taken& taken);
  void take_over(ShardSlot& slot);
  void drop_foreign(Taken& taken);
  bool is_owned(const WaitingCommand& command) const;
  eventstore::CommitOutcome attempt(Taken& taken);
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
  std::set<eventstore::ShardId> in_hand_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace annolog::commands
