// The last request that a shard recorded: what the next one follows (domain/audit/events.hpp).
#pragma once

#include <cstdint>
#include <string>

#include <boost/describe/class.hpp>

namespace annolog::commands {

struct AuditHead {
  std::int64_t number = 0;
  std::string digest = std::string(64, '0');  // SHA-256 of its data, in hex
};
BOOST_DESCRIBE_STRUCT(AuditHead, (), (number, digest))

}  // namespace annolog::commands
