// Makes a log the copy of another one: the same log id, shards, offsets, chains and bytes. Apart
// from EventLog, since whoever decides commands must never choose these himself.
//
// Each adapter has a function open_..._import(options, info) that makes what is missing, and throws
// LogRefused for a place that holds anything but this very log (an earlier copy goes on where it
// ends). State is not touched: it lags behind the records and is folded when the log is next opened
// for commands. One thread.
#pragma once

#include <span>

#include "eventstore/event_log.hpp"

namespace annolog::eventstore {

class RecordImport {
 public:
  virtual ~RecordImport() = default;

  // What append() took counts as there.
  virtual ShardEnd end(ShardId shard) const = 0;
  // Takes the records that follow the shard's end: whole commands, so that none is ever seen in
  // part. The chain is the caller's to check. Throws std::logic_error for another offset.
  virtual void append(std::span<const Record> records) = 0;
  // All that was taken, of any shards: durable and atomic when it returns. Throws LogUnavailable
  // when that is not known: then only opening it anew tells where it ends.
  virtual void commit() = 0;
  // Waits until whoever looks from now on sees all that was committed. Throws LogUnavailable.
  virtual void settle() = 0;
};

}  // namespace annolog::eventstore
