// Stored bytes back into records, one after the other, with their chain recomputed or not.
// One thread. Throws LogCorrupted naming the record.
#pragma once

#include <string>
#include <string_view>

#include "eventstore/chain.hpp"
#include "eventstore/event_log.hpp"

namespace annolog::eventstore {

Record load_record(Position position, std::string_view stored);

// Walks the records of one shard in order and compares each stored chain with what it must be.
class ChainCheck {
 public:
  ChainCheck(ShardId shard, Offset after, const Hash& chain);
  // The next record must be the one after the last.
  void next(Offset offset, std::string_view stored);
  void next(const Record& record);
  Offset reached() const { return reached_; }
  const Hash& chain() const { return chain_; }

 private:
  void require_next(Offset offset) const;
  void take(std::string_view encoding, const Hash& chain);

  ChainHasher hasher_;
  ShardId shard_;
  Offset reached_;
  Hash chain_;
  std::string encoding_;  // of one record; here so that its memory is used again
};

}  // namespace annolog::eventstore
