// How many records the projector's next batch may have while a dataset of many items becomes tasks:
// so few that PostgreSQL makes `births_max` new tasks or so of a batch, and leaves the processor to
// others before they wait long (docs/decisions, 0033). Other batches are as large as they come. One
// thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <variant>

#include "projections/engine/log_reader.hpp"

namespace annolog::projections {

inline std::size_t births_of(const ReadBatch& batch) {
  std::size_t births = 0;
  for (const ReadRecord& read : batch) {
    if (!read.event) continue;
    if (const auto* created = std::get_if<TasksCreated>(&*read.event))
      births += created->tasks.size();
  }
  return births;
}

class BirthPace {
 public:
  BirthPace(std::size_t records_max, std::size_t births_max)
      : records_max_(records_max), births_max_(births_max), records_(records_max) {}

  std::size_t records() const { return records_; }

  // A batch was taken. True: PostgreSQL and the disk are to be left to others for a while behind
  // it.
  bool took(std::size_t records, std::size_t births) {
    const bool is_large = 2 * births > births_max_;
    if (births > births_max_) {
      records_ = std::max<std::size_t>(1, records * births_max_ / births);
    } else if (!is_large) {
      records_ = std::min(records_max_, 2 * records_);
    }
    return is_large;
  }

 private:
  const std::size_t records_max_;
  const std::size_t births_max_;
  std::size_t records_;
};

}  // namespace annolog::projections
