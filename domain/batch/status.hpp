// Where a batch can stand (spec, "Batch", "States and transitions").
#pragma once

#include <cstdint>

#include <boost/describe/enum.hpp>

namespace annolog {

enum class BatchStatus : std::uint8_t {
  draft,
  active,
  annotating,
  reviewing,
  approved,
  rejected,
  archived
};
BOOST_DESCRIBE_ENUM(BatchStatus, draft, active, annotating, reviewing, approved, rejected, archived)

const char* to_string(BatchStatus status);

// Work goes on in it: its tasks are offered, locked and changed.
constexpr bool is_open(BatchStatus status) {
  return status == BatchStatus::active || status == BatchStatus::annotating ||
         status == BatchStatus::reviewing;
}

}  // namespace annolog
