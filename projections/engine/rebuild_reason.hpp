// Why read models can't be gone on with; empty when they can. Pure; any thread.
#pragma once

#include <string>

#include "eventstore/event_log.hpp"
#include "projections/engine/control.hpp"

namespace annolog::projections {

std::string reason_to_rebuild(const Control& control, const std::string& log_id);
// The part of it that makes them useless for reading, too.
std::string reason_of_another_log(const Control& control, const std::string& log_id);
// For a log that this process holds whole: of others, the end may be on its way.
std::string reason_to_rebuild(const Positions& shown, const eventstore::EventLog& log);

}  // namespace annolog::projections
