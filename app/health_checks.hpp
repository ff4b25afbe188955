// The parts of /health: what of the service's surroundings answers. What is named in `of` must
// outlive them.
#pragma once

#include <filesystem>
#include <vector>

#include "api/services.hpp"
#include "app/engine.hpp"
#include "app/read_side.hpp"
#include "eventstore/event_log.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::app {

struct CheckedParts {
  projections::ReadPool& reads;
  eventstore::EventLog& log;
  Engine& engine;
  ReadSide& read_side;
  const std::filesystem::path& objects;
};

std::vector<api::HealthCheck> health_checks(const CheckedParts& of);

}  // namespace annolog::app
