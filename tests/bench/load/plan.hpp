// What a load consists of: the steps of one round, the ids they use, how long and how fast. Filled
// by main() from the command line; read by the runner. One thread. Bad arguments throw
// std::runtime_error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace annolog::bench {

// One request of a round. The path may hold {id}: the next id of the plan; or {got}: the first
// "id" in the answer to the step before.
struct Step {
  std::string method;
  std::string path;
  std::vector<std::string> bodies;  // sent in turn; empty: no body
};

// "METHOD PATH" or "METHOD PATH FILE", the file holding a body a line.
Step parse_step(const std::string& text);

// Ids of several ranges, one range after the other in turn so that all are under load at once.
class Ids {
 public:
  // "first:step:count[,first:step:count...]"; empty: there are none.
  explicit Ids(const std::string& ranges, bool random);
  bool empty() const { return ranges_.empty(); }
  // In order each id comes once, then nothing; at random there is always one.
  std::optional<std::int64_t> next();

 private:
  struct Range {
    std::int64_t first, step, count;
    std::int64_t given = 0;
  };
  std::vector<Range> ranges_;
  bool random_;
  std::size_t turn_ = 0;
  std::minstd_rand generator_{1};
};

struct Plan {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  std::vector<std::string> tokens;  // connection i sends token i mod size
  std::vector<Step> steps;
  std::size_t connections = 64;
  double seconds = 5;        // 0: until `rounds` or the ids are used up
  std::uint64_t rounds = 0;  // 0: until the time is over
  double rounds_per_s = 0;   // 0: as fast as answers come
  double window_s = 1;       // rates are given for each such piece of the time
  std::string taken_file;    // ids that came back from the first step, one a line
};

std::vector<std::string> read_lines(const std::string& path);

}  // namespace annolog::bench
