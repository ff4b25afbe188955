#include "commands/waiting_commands.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "commands/group.hpp"

namespace annolog::commands {
namespace {

bool is_step(const Envelope& envelope) {
  return envelope.actor == kSystemUser && !envelope.request;
}

}  // namespace

std::optional<DomainError> WaitingCommands::push(Envelope& envelope) {
  {
    const std::lock_guard guard(mutex_);
    if (closed_) return stopping();
    if (callers_.size() + steps_.size() >= limit_) return queue_full();
    (is_step(envelope) ? steps_ : callers_).push_back(std::move(envelope));
  }
  changed_.notify_one();
  return std::nullopt;
}

WaitingCommands::Turn WaitingCommands::next_turn(std::size_t most) {
  std::unique_lock guard(mutex_);
  changed_.wait(guard, [&] { return closed_ || !callers_.empty() || !steps_.empty(); });
  Turn turn;
  turn.of_steps = callers_.empty() || (steps_are_next_ && !steps_.empty());
  steps_are_next_ = !turn.of_steps;
  auto& line = turn.of_steps ? steps_ : callers_;
  const auto end = line.begin() + static_cast<std::ptrdiff_t>(std::min(line.size(), most));
  turn.commands.assign(std::make_move_iterator(line.begin()), std::make_move_iterator(end));
  line.erase(line.begin(), end);
  return turn;
}

void WaitingCommands::give_back(std::vector<Envelope>& steps, std::size_t first) {
  const std::lock_guard guard(mutex_);
  const auto from = steps.begin() + static_cast<std::ptrdiff_t>(first);
  steps_.insert(steps_.begin(), std::make_move_iterator(from),
                std::make_move_iterator(steps.end()));
}

bool WaitingCommands::callers_wait() const {
  const std::lock_guard guard(mutex_);
  return !callers_.empty();
}

void WaitingCommands::close() {
  {
    const std::lock_guard guard(mutex_);
    closed_ = true;
  }
  changed_.notify_one();
}

}  // namespace annolog::commands
