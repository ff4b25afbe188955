// The wish to record a request that no other command carries: refused before one was sent, or
// answered with a status that is known only at the end.
#pragma once

#include <cstdint>

#include <boost/describe/class.hpp>

#include "domain/audit/request.hpp"

namespace annolog {

// Decides nothing: what is recorded are the facts that go with every command.
struct RecordRequest {
  std::uint16_t shard = 0;
};
BOOST_DESCRIBE_STRUCT(RecordRequest, (), (shard))

}  // namespace annolog
