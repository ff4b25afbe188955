// How far the read models have come, told from the process that applies a batch to all others, by
// PostgreSQL's NOTIFY in the batch's own transaction. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/record.hpp"

namespace annolog::projections {

inline constexpr const char* kCheckpointChannel = "annolog_checkpoints";

// No positions: too many to tell, or the read models were swapped: look at the checkpoints.
struct CheckpointNews {
  struct Shard {
    eventstore::Position at;
    bool settled = true;  // see settling.hpp
    bool operator==(const Shard&) const = default;
  };
  std::int64_t generation = 0;
  std::vector<Shard> reached;
};

// PostgreSQL takes up to 8000 bytes.
std::string to_text(const CheckpointNews& news);
std::optional<CheckpointNews> checkpoint_news_from(std::string_view text);

}  // namespace annolog::projections
