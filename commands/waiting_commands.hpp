// The commands that wait for a writer, in two lines: callers', and steps of the service's own
// processes (links, removals, cleaners), which nobody waits for with a request in his hands. The
// lines take turns, so that neither starves; a turn of steps ends early when a caller comes.
// Any thread; next_turn() and give_back() from the writer's only.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "commands/bus.hpp"

namespace annolog::commands {

class WaitingCommands {
 public:
  // Both lines together take so many, then answer OVERLOADED.
  explicit WaitingCommands(std::size_t limit) : limit_(limit) {}

  // Takes the envelope, unless it says why not.
  std::optional<DomainError> push(Envelope& envelope);

  struct Turn {
    std::vector<Envelope> commands;
    bool of_steps = false;
  };
  // Waits for commands, takes up to `most` of one line. What waits is given even after close();
  // then none.
  Turn next_turn(std::size_t most);
  // Those of a turn of steps, from `first` on, that were not decided: they are next in their line.
  void give_back(std::vector<Envelope>& steps, std::size_t first);
  bool callers_wait() const;

  // Nothing more is taken.
  void close();

 private:
  const std::size_t limit_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Envelope> callers_;
  std::deque<Envelope> steps_;
  bool steps_are_next_ = false;
  bool closed_ = false;
};

}  // namespace annolog::commands
