// Where events stand, in the words of the log: what the bus tells and reads wait for.
#pragma once

#include "eventstore/record.hpp"

namespace annolog::commands {

using eventstore::Offset;
using eventstore::Position;
using eventstore::ShardId;

}  // namespace annolog::commands
