#include "commands/kafka/command_queue.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace annolog::commands {
namespace {

using eventstore::ShardId;
using Clock = std::chrono::steady_clock;

std::size_t count_own(const std::vector<WaitingCommand>& commands) {
  return static_cast<std::size_t>(
      std::ranges::count_if(commands, [](const auto& command) { return command.own.has_value(); }));
}

}  // namespace

bool CommandQueue::push(WaitingCommand& command) {
  const std::lock_guard guard(mutex_);
  if (closed_) return false;
  if (command.own) ++own_waiting_;
  waiting_.push_back(std::move(command));
  changed_.notify_all();
  return true;
}

CommandQueue::Waiting CommandQueue::waiting() const {
  const std::lock_guard guard(mutex_);
  return {own_waiting_, waiting_.size() - own_waiting_};
}

std::vector<WaitingCommand> CommandQueue::next_group() {
  std::unique_lock guard(mutex_);
  in_hand_.clear();
  changed_.notify_all();
  gather(guard, std::min(waiting_.size() + last_group_, kGroupMax));
  changed_.wait(guard, [&] { return closed_ || !waiting_.empty(); });
  if (closed_) return {};
  const auto end =
      waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(waiting_.size(), kGroupMax));
  std::vector<WaitingCommand> group(std::make_move_iterator(waiting_.begin()),
                                    std::make_move_iterator(end));
  waiting_.erase(waiting_.begin(), end);
  own_waiting_ -= count_own(group);
  last_group_ = group.size();
  for (const auto& command : group) in_hand_.insert(command.shard);
  return group;
}

void CommandQueue::gather(std::unique_lock<std::mutex>& guard, std::size_t expected) {
  const auto end = Clock::now() + patience_.all_callers;
  while (!closed_ && waiting_.size() < expected) {
    const std::size_t before = waiting_.size();
    if (!changed_.wait_until(guard, std::min(end, Clock::now() + patience_.next_caller),
                             [&] { return closed_ || waiting_.size() != before; }))
      return;
  }
}

std::vector<WaitingCommand> CommandQueue::take_out(ShardId shard) {
  const std::lock_guard guard(mutex_);
  auto taken = take_commands(waiting_, [&](const auto& command) { return command.shard == shard; });
  own_waiting_ -= count_own(taken);
  return taken;
}

void CommandQueue::wait_until_done(ShardId shard, std::chrono::milliseconds longest) {
  std::unique_lock guard(mutex_);
  changed_.wait_for(guard, longest, [&] { return closed_ || !in_hand_.contains(shard); });
}

void CommandQueue::close() {
  const std::lock_guard guard(mutex_);
  closed_ = true;
  changed_.notify_all();
}

bool CommandQueue::is_closed() const {
  const std::lock_guard guard(mutex_);
  return closed_;
}

void CommandQueue::wait_until_closed(std::chrono::milliseconds longest) {
  std::unique_lock guard(mutex_);
  changed_.wait_for(guard, longest, [&] { return closed_; });
}

std::vector<WaitingCommand> CommandQueue::take_all() {
  const std::lock_guard guard(mutex_);
  own_waiting_ = 0;
  return take_commands(waiting_, [](const auto&) { return true; });
}

}  // namespace annolog::commands
