#include "tests/bench/load/figures.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

namespace annolog::bench {
namespace {

using nlohmann::json;

// The smallest latency that at least this share of all did not exceed.
std::uint32_t percentile(const std::vector<std::uint32_t>& sorted, double share) {
  if (sorted.empty()) return 0;
  const auto rank = static_cast<std::size_t>(share * static_cast<double>(sorted.size()));
  return sorted[std::min(rank, sorted.size() - 1)];
}

json step_json(StepFigures& step) {
  auto& all = step.latencies_us;
  std::sort(all.begin(), all.end());
  const double sum = std::accumulate(all.begin(), all.end(), 0.0);
  json statuses = json::object();
  for (const auto& [status, times] : step.statuses) statuses[std::to_string(status)] = times;
  return {{"answers", all.size()},
          {"mean_us", all.empty() ? 0.0 : sum / static_cast<double>(all.size())},
          {"p50_us", percentile(all, 0.50)},
          {"p99_us", percentile(all, 0.99)},
          {"max_us", all.empty() ? 0 : all.back()},
          {"statuses", statuses}};
}

}  // namespace

std::string as_json(Figures& figures) {
  json steps = json::array();
  for (auto& step : figures.steps) steps.push_back(step_json(step));
  const double seconds = figures.seconds > 0 ? figures.seconds : 1e-9;
  json document{{"rounds", figures.rounds},
                {"seconds", figures.seconds},
                {"rounds_per_s", static_cast<double>(figures.rounds) / seconds},
                {"window_s", figures.window_s},
                {"windows", figures.windows},
                {"late", figures.late},
                {"steps", steps}};
  if (!figures.first_refusal.empty()) document["first_refusal"] = figures.first_refusal;
  return document.dump();
}

}  // namespace annolog::bench
