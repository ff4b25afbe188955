// Drives a plan over all its connections with one thread and epoll. Throws std::runtime_error when
// a connection breaks or no answer comes for 30 s. An answer that is no 2xx is counted and ends
// the round; 204 to a step whose id is needed later ends the connection's work.
#pragma once

#include "tests/bench/load/figures.hpp"
#include "tests/bench/load/plan.hpp"

namespace annolog::bench {

Figures run(const Plan& plan, Ids& ids);

}  // namespace annolog::bench
