#include "eventstore/staged_transaction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "eventstore/key_range.hpp"
#include "eventstore/record_codec.hpp"

namespace annolog::eventstore {

StagedTransaction::StagedTransaction(const CommittedState& committed, ShardClaims::Claim claim,
                                     std::span<const Offset> ends)
    : committed_(&committed), claim_(std::move(claim)) {
  if (claim_.shards().empty()) throw std::logic_error("a transaction needs at least one shard");
  shards_.resize(claim_.shards().size());
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    shards_[i].shard = claim_.shards()[i];
    shards_[i].start = ends[i];
  }
  savepoint();
}

std::size_t StagedTransaction::index_of(ShardId shard) const {
  if (shards_[current_].shard == shard) return current_;
  const auto found =
      std::find_if(shards_.begin(), shards_.end(),
                   [shard](const StagedShard& staged) { return staged.shard == shard; });
  if (found == shards_.end())
    throw std::logic_error(fmt::format("the transaction has not claimed shard {}", shard.value));
  return static_cast<std::size_t>(found - shards_.begin());
}

Transaction& StagedTransaction::in(ShardId shard) {
  current_ = index_of(shard);
  return *this;
}

ShardId StagedTransaction::current_shard() const { return current().shard; }

std::optional<std::string> StagedTransaction::get(std::string_view key) const {
  const auto staged = current().state.find(key);
  if (staged != current().state.end()) return staged->second;
  for (const Read& read : reads_) {
    if (read.shard_index == current_ && read.key == key) return read.value;
  }
  auto value = committed_->get(current().shard, key);
  if (reads_.size() == kReadsMax) reads_.clear();
  reads_.push_back({current_, std::string(key), value});
  return value;
}

void StagedTransaction::scan(std::string_view prefix, std::string_view from_key,
                             const ScanCallback& callback) const {
  const StagedState& staged = current().state;
  auto next = staged.lower_bound(scan_start(prefix, from_key));
  const auto in_range = [&] {
    return next != staged.end() && std::string_view(next->first).starts_with(prefix);
  };
  bool go_on = true;
  const auto give_staged = [&] {
    if (next->second) go_on = callback(next->first, *next->second);
    ++next;
  };
  committed_->scan(current().shard, prefix, from_key,
                   [&](std::string_view key, std::string_view value) {
                     while (go_on && in_range() && next->first < key) give_staged();
                     if (!go_on) return false;
                     if (in_range() && next->first == key) {
                       give_staged();
                     } else {
                       go_on = callback(key, value);
                     }
                     return go_on;
                   });
  while (go_on && in_range()) give_staged();
}

void StagedTransaction::scan_reverse(std::string_view prefix, std::string_view from_key,
                                     const ScanCallback& callback) const {
  const StagedState& staged = current().state;
  const std::optional<std::string> bound = after_prefix(prefix);
  auto next = staged.end();  // one above the next key to give
  if (!from_key.empty() && (!bound || from_key < *bound)) {
    next = staged.upper_bound(from_key);
  } else if (bound) {
    next = staged.lower_bound(*bound);
  }
  const auto in_range = [&] {
    return next != staged.begin() && std::string_view(std::prev(next)->first).starts_with(prefix);
  };
  bool go_on = true;
  const auto give_staged = [&] {
    --next;
    if (next->second) go_on = callback(next->first, *next->second);
  };
  committed_->scan_reverse(current().shard, prefix, from_key,
                           [&](std::string_view key, std::string_view value) {
                             while (go_on && in_range() && std::prev(next)->first > key)
                               give_staged();
                             if (!go_on) return false;
                             if (in_range() && std::prev(next)->first == key) {
                               give_staged();
                             } else {
                               go_on = callback(key, value);
                             }
                             return go_on;
                           });
  while (go_on && in_range()) give_staged();
}

void StagedTransaction::write(std::string_view key, std::optional<std::string> value) {
  StagedState& state = shards_[current_].state;
  bytes_ += key.size() + (value ? value->size() : 0);
  const auto found = state.find(key);
  if (found == state.end()) {
    undo_.push_back({current_, std::string(key), std::nullopt});
    state.emplace(std::string(key), std::move(value));
    return;
  }
  undo_.push_back({current_, found->first, std::move(found->second)});
  found->second = std::move(value);
}

void StagedTransaction::put(std::string_view key, std::string_view value) {
  write(key, std::string(value));
}

void StagedTransaction::erase(std::string_view key) { write(key, std::nullopt); }

Offset StagedTransaction::append(ShardId shard, NewRecord record) {
  StagedShard& staged = shards_[index_of(shard)];
  bytes_ += stored_size_estimate(record);
  staged.records.push_back({std::move(record), false});
  return staged.end();
}

void StagedTransaction::end_command(ShardId shard) {
  StagedShard& staged = shards_[index_of(shard)];
  if (staged.ended == staged.records.size()) return;
  staged.records.back().last_of_command = true;
  staged.ended = staged.records.size();
  ++commands_;
}

Offset StagedTransaction::end(ShardId shard) const { return shards_[index_of(shard)].end(); }

void StagedTransaction::savepoint() {
  undo_.clear();
  reads_.clear();
  savepoint_.shards.resize(shards_.size());
  for (std::size_t i = 0; i < shards_.size(); ++i)
    savepoint_.shards[i] = {shards_[i].records.size(), shards_[i].ended};
  savepoint_.commands = commands_;
  savepoint_.bytes = bytes_;
}

void StagedTransaction::rollback() {
  while (!undo_.empty()) {
    Undo& undo = undo_.back();
    StagedState& state = shards_[undo.shard_index].state;
    if (undo.before) {
      state.find(undo.key)->second = std::move(*undo.before);
    } else {
      state.erase(undo.key);
    }
    undo_.pop_back();
  }
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    StagedShard& staged = shards_[i];
    staged.records.resize(savepoint_.shards[i].records);
    staged.ended = savepoint_.shards[i].ended;
    if (!staged.records.empty())
      staged.records.back().last_of_command = staged.ended == staged.records.size();
  }
  commands_ = savepoint_.commands;
  bytes_ = savepoint_.bytes;
}

std::size_t StagedTransaction::record_count() const {
  std::size_t count = 0;
  for (const StagedShard& staged : shards_) count += staged.records.size();
  return count;
}

std::vector<const StagedShard*> StagedTransaction::spend(const CommittedState& committed) {
  if (committed_ != &committed) throw std::logic_error("the transaction is of another log");
  if (std::exchange(spent_, true)) throw std::logic_error("the transaction was committed before");
  std::vector<const StagedShard*> touched;
  for (const StagedShard& staged : shards_) {
    if (staged.ended != staged.records.size())
      throw std::logic_error(
          fmt::format("a command of shard {} has no end_command", staged.shard.value));
    if (staged.records.empty() && !staged.state.empty())
      throw std::logic_error(
          fmt::format("state of shard {} changed without a record", staged.shard.value));
    if (!staged.records.empty()) touched.push_back(&staged);
  }
  return touched;
}

}  // namespace annolog::eventstore
