// Up to where somebody has what happened: an offset for each shard that it speaks of, none for the
// others. A plain value. Its text is a position token (api/positions.hpp).
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "api/positions.hpp"

namespace annolog::api::realtime {

class Cursor {
 public:
  Cursor() = default;
  // Any order; of a shard that is named twice, the later place.
  explicit Cursor(const std::vector<commands::Position>& positions) {
    for (const auto& position : positions) advance(position);
  }

  commands::Offset at(commands::ShardId shard) const {
    const auto found = place_of(shard);
    return found == positions_.end() || found->shard != shard ? commands::Offset{} : found->offset;
  }
  bool covers(commands::Position position) const { return position.offset <= at(position.shard); }
  bool covers(const Cursor& other) const {
    return std::ranges::all_of(other.positions_, [this](const auto& each) { return covers(each); });
  }
  // Never back.
  void advance(commands::Position to) {
    const auto found = positions_.begin() + (place_of(to.shard) - positions_.begin());
    if (found == positions_.end() || found->shard != to.shard) {
      positions_.insert(found, to);
    } else {
      found->offset = std::max(found->offset, to.offset);
    }
  }
  void advance(const Cursor& other) {
    for (const auto& position : other.positions_) advance(position);
  }
  const std::vector<commands::Position>& positions() const { return positions_; }  // by shard
  std::string token() const { return position_token(positions_); }

 private:
  std::vector<commands::Position>::const_iterator place_of(commands::ShardId shard) const {
    return std::ranges::lower_bound(positions_, shard, {}, &commands::Position::shard);
  }
  std::vector<commands::Position> positions_;
};

}  // namespace annolog::api::realtime
