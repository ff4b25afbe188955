// What a commit made true, for those who follow the writers within the process.
#pragma once

#include <cstddef>

#include "commands/position.hpp"
#include "domain/events.hpp"

namespace annolog::commands {

// An event, where the log holds it and how many bytes its data has there.
struct CommittedEvent {
  Position at;
  std::size_t bytes = 0;
  Event event;
};

}  // namespace annolog::commands
