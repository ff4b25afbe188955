// How far the read models have come, per shard, and waiting for it: this is what makes a read see
// the writes that were acknowledged before it. Any thread. Deadlines are steady-clock times.
// Source: decisions, section 1 (X-Event-Position); architecture, "The read side".
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "eventstore/record.hpp"

namespace annolog::projections {

class ReadBarrier {
 public:
  using Deadline = std::chrono::steady_clock::time_point;
  // true: reached. false: the deadline passed, or the barrier was closed.
  using Callback = std::function<void(bool reached)>;

  // `longest_behind`: see is_stale().
  explicit ReadBarrier(std::uint16_t shard_count,
                       std::chrono::milliseconds longest_behind = std::chrono::seconds(2));
  ~ReadBarrier();  // closes
  ReadBarrier(const ReadBarrier&) = delete;
  ReadBarrier& operator=(const ReadBarrier&) = delete;

  eventstore::Offset applied(eventstore::ShardId shard) const;  // lock-free
  bool reached(eventstore::Position position) const;

  bool wait(eventstore::ShardId shard, eventstore::Offset offset, Deadline deadline);
  // Who waits for what is still to happen is in no hurry: the projector need not know.
  enum class Hurry : bool { no, yes };
  // Calls back exactly once: at once on this thread when it is reached already (or the barrier is
  // closed), else on the projector's or the barrier's own thread. Be quick there: post and return.
  void when_reached(eventstore::ShardId shard, eventstore::Offset offset, Deadline deadline,
                    Callback callback, Hurry hurry = Hurry::yes);
  std::size_t waiting() const;  // in a hurry

  // Called on the waiter's thread whenever one begins to wait in a hurry: what holds the projector
  // up for better batches must end. Must be quick and not call the barrier. Empty: nobody is told.
  void on_wait(std::function<void()> callback);

  // Called whenever a shard's place was set, on the thread that did it: be quick. Before anything
  // is set; replaces the one before.
  void on_set(std::function<void(eventstore::ShardId shard)> callback);

  // For the projector. set() may also go back: PostgreSQL may lose its last commits in a crash.
  void set(eventstore::ShardId shard, eventstore::Offset applied);
  // Whether the read models in the database show what this process has not heard of the shard yet;
  // again while it is so: nothing new. One thread at a time.
  void behind_others(eventstore::ShardId shard, bool is);
  // So for longer than `longest_behind`: what this process knows by heart may have been taken back
  // long ago. It is cut off, and says so instead of answering. Lock-free.
  bool is_stale(eventstore::ShardId shard) const;
  Deadline stale_from(eventstore::ShardId shard) const;  // max(): it is not behind
  std::size_t stale_shards() const;

  // Whether the rows of the shard's tasks follow all changes of batches' people (settling.hpp);
  // unsettled ones are told before set() moves on. Not until somebody has looked. Lock-free.
  void set_settled(eventstore::ShardId shard, bool is);
  bool is_settled(eventstore::ShardId shard) const;
  bool all_settled() const;

  // The database is away: what it will show when it is back is not known. Until regain() nothing
  // counts as reached, and every waiter is called with false.
  void lose();
  void regain();
  // Every waiter is called with false, now and from now on.
  void close();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace annolog::projections
