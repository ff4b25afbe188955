// What belongs to a log and lies beside it. `log copy` carries records alone; whatever else it
// learns to carry (subject keys between a folder and a topic) is carried here, after the records.
#pragma once

#include <string>
#include <vector>

#include "app/log_place.hpp"

namespace annolog::app {

// What the operator must still move, a line each.
std::vector<std::string> left_to_move(const LogPlace& from, const LogPlace& to);

}  // namespace annolog::app
