// What a load measured. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace annolog::bench {

struct StepFigures {
  std::vector<std::uint32_t> latencies_us;
  std::map<int, std::uint64_t> statuses;
};

struct Figures {
  std::vector<StepFigures> steps;
  std::vector<std::uint64_t> windows;  // rounds that ended in each window of the time
  double window_s = 1;
  double seconds = 0;  // from the first request to the last answer
  std::uint64_t rounds = 0;
  std::uint64_t late = 0;     // paced load: rounds begun more than 1 ms after their time
  std::string first_refusal;  // status and body of the first answer that is no 2xx
};

std::string as_json(Figures& figures);

}  // namespace annolog::bench
