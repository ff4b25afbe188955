// Messages of one topic by partition and place: no consumer group, nothing remembered. One thread.
// Throws LogUnavailable when the cluster does not answer in time; no message is skipped by it.
//
// A broker that was frozen and still believes to lead a partition says for a moment that what came
// since is out of range. The library gives the partition up then; here it is read on from where it
// was, until another broker leads.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "eventstore/kafka/client.hpp"

namespace annolog::eventstore::kafka {

// Whether messages of transactions that are still open are seen.
enum class Isolation { committed, uncommitted };

struct ReaderOptions {
  Isolation isolation = Isolation::committed;
  std::size_t ahead_bytes = 1U << 20U;  // read ahead, of each partition
  // So long the cluster waits for news before it says that there are none. Short for a look, long
  // for following.
  std::chrono::milliseconds news_wait{5};
  std::chrono::milliseconds look_up_time{10'000};  // for the topic, when it is opened
};

class TopicReader {
 public:
  TopicReader(const Connection& connection, const std::string& topic,
              const ReaderOptions& options = {});
  ~TopicReader();
  TopicReader(const TopicReader&) = delete;
  TopicReader& operator=(const TopicReader&) = delete;

  // Reads from `offset` on; moves there when the partition is being read already.
  void start(std::int32_t partition, std::int64_t offset);
  void stop(std::int32_t partition);
  void stop_all();
  bool reads(std::int32_t partition) const { return readings_.contains(partition); }

  struct Batch {
    std::vector<KafkaMessage> messages;
    bool at_end = false;  // nothing behind them yet
  };
  // Waits for the first message, or for the end of the partition; takes up to `limit` that are
  // there.
  Batch take(std::int32_t partition, std::size_t limit, Deadline deadline);

  // For reading several partitions together: all that come, in one line.
  void start_together(std::int32_t partition, std::int64_t offset);
  // Waits for the first message up to `wait_ms`.
  std::vector<KafkaMessage> take_together(std::size_t limit, int wait_ms);

  Watermarks watermarks(std::int32_t partition, Deadline deadline) const {
    return kafka::watermarks(client_, topic_, partition, deadline);
  }
  // Behind the last message that this reader would be given.
  std::int64_t end(std::int32_t partition, Deadline deadline) const {
    return end_offset(client_, topic_, partition, deadline);
  }

 private:
  // What a partition has given since the library was last found with nothing.
  struct Given {
    std::size_t bytes = 0;
    std::size_t messages = 0;
  };
  struct Reading {
    std::int64_t next = 0;  // offset; below 0: the library's word for a place
    bool together = false;
    Given given = {};
  };
  template <class First, class Rest>
  std::vector<KafkaMessage> first_and_rest(const First& first, const Rest& rest, std::size_t limit,
                                           int wait_ms);
  // True: one to hand over. What is wrong is dealt with by heal().
  bool accept(const rd_kafka_message_t& message);
  void heal();
  void wake_fetching();
  void begin(std::int32_t partition, const Reading& reading);

  std::string topic_;
  const std::size_t ahead_bytes_;
  Client client_;
  Topic handle_;
  Queue together_;
  std::map<std::int32_t, Reading> readings_;
  std::set<std::int32_t> given_up_;  // by the library
  std::string failure_;              // told by the next call, so that no message is lost
};

// What an error leaves half read must not come as an answer to the next question.
class StopAtEnd {
 public:
  explicit StopAtEnd(TopicReader& reader) : reader_(reader) {}
  ~StopAtEnd() { reader_.stop_all(); }
  StopAtEnd(const StopAtEnd&) = delete;
  StopAtEnd& operator=(const StopAtEnd&) = delete;

 private:
  TopicReader& reader_;
};

// All committed messages of a partition, oldest first.
void read_whole(const Connection& connection, const std::string& topic, std::int32_t partition,
                Deadline deadline,
                const std::function<void(const rd_kafka_message_t& message)>& visit);

}  // namespace annolog::eventstore::kafka
