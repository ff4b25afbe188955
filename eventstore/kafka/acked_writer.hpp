// Writes to one partition, a message at a time, and says where it lies once all replicas in sync
// have it. The library never sends a message twice: what failed may have been written all the same,
// and it is for the caller to say what then.
// One thread at a time; send() from any. Throws LogUnavailable from the constructor only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "eventstore/kafka/client.hpp"

namespace annolog::eventstore::kafka {

class AckedWriter {
 public:
  AckedWriter(const Connection& connection, const std::string& topic,
              std::chrono::milliseconds timeout, Deadline deadline);
  AckedWriter(const AckedWriter&) = delete;
  AckedWriter& operator=(const AckedWriter&) = delete;

  struct Written {
    std::optional<std::int64_t> offset;  // absent: not written, or nobody knows
    std::string failure = {};
  };
  // `value` nullptr: a tombstone.
  Written write(const std::string& key, const std::string* value, Deadline deadline);
  // Without waiting, and without knowing whether it arrived.
  void send(const std::string& key, const std::string& value);

  const Client& client() const { return client_; }

 private:
  bool produce(const std::string& key, const std::string* value, std::uint64_t number);

  std::uint64_t number_ = 0;       // of the message being waited for
  std::optional<Written> report_;  // on it
  Client client_;
  Topic topic_;
};

}  // namespace annolog::eventstore::kafka
