// Read models of a log that is not this one, or that know what this one has not: a backup was
// restored, or the database came from elsewhere. What they say never happened here, so they are
// made anew before anybody reads them. For a log that this process holds whole. Blocking, any
// thread; throws what rebuild_read_models() throws.
#pragma once

#include "projections/engine/rebuild.hpp"

namespace annolog::projections {

void rebuild_foreign_read_models(eventstore::EventLog& log, const Unseal& unseal,
                                 platform::Logger& logger, const RebuildOptions& options);

}  // namespace annolog::projections
