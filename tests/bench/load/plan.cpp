#include "tests/bench/load/plan.hpp"

#include <charconv>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace annolog::bench {
namespace {

std::int64_t number(const std::string& text) {
  std::int64_t value = 0;
  const auto* end = text.data() + text.size();
  if (std::from_chars(text.data(), end, value).ptr != end || text.empty()) {
    throw std::runtime_error("not a number: " + text);
  }
  return value;
}

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, by);) parts.push_back(part);
  return parts;
}

}  // namespace

std::vector<std::string> read_lines(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("can't read " + path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  if (lines.empty()) throw std::runtime_error("nothing in " + path);
  return lines;
}

Step parse_step(const std::string& text) {
  const auto words = split(text, ' ');
  if (words.size() < 2 || words.size() > 3) {
    throw std::runtime_error("a step is METHOD PATH [FILE]: " + text);
  }
  return {words[0], words[1],
          words.size() == 3 ? read_lines(words[2]) : std::vector<std::string>()};
}

Ids::Ids(const std::string& ranges, bool random) : random_(random) {
  for (const auto& range : split(ranges, ',')) {
    const auto parts = split(range, ':');
    if (parts.size() != 3) throw std::runtime_error("ids are first:step:count, not " + range);
    ranges_.push_back({number(parts[0]), number(parts[1]), number(parts[2])});
    if (ranges_.back().count < 1) throw std::runtime_error("a range without ids");
  }
}

std::optional<std::int64_t> Ids::next() {
  for (std::size_t tried = 0; tried < ranges_.size(); ++tried) {
    Range& range = ranges_[turn_];
    turn_ = (turn_ + 1) % ranges_.size();
    if (random_) {
      std::uniform_int_distribution<std::int64_t> any(0, range.count - 1);
      return range.first + range.step * any(generator_);
    }
    if (range.given < range.count) return range.first + range.step * range.given++;
  }
  return std::nullopt;
}

}  // namespace annolog::bench
