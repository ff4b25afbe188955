// How a thread reads a topic that it follows for as long as it lives.
#pragma once

#include <chrono>
#include <cstddef>

#include "eventstore/kafka/topic_reader.hpp"

namespace annolog::eventstore::kafka {

inline constexpr ReaderOptions kFollowing{Isolation::committed, 256U << 10U,
                                          std::chrono::milliseconds(500)};
inline constexpr std::size_t kFollowedAtOnce = 1000;
// How soon the thread sees that it shall stop.
inline constexpr int kFollowedWaitMs = 100;

}  // namespace annolog::eventstore::kafka
