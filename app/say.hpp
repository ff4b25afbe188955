// A line of an operator's command, at once: who waits for it may read it through a pipe.
#pragma once

#include <cstdio>
#include <string>

namespace annolog::app {

inline void say(const std::string& line) {
  std::fputs((line + "\n").c_str(), stdout);
  std::fflush(stdout);
}

}  // namespace annolog::app
