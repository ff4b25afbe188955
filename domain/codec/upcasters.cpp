// The steps by which stored events of older versions become today's. Append-only: a step stays as
// long as a log may hold its version, which is for ever.
#include <nlohmann/json.hpp>

#include "domain/codec/events.hpp"
#include "domain/codec/json/codec_error.hpp"

namespace annolog::codec {

namespace {

constexpr Upcaster kUpcasters[] = {
    // Only whole projects were exported before.
    {"project.exported", 1, [](nlohmann::json& data) { data["of_batch"] = nullptr; }},
    {"task.rejected", 1, [](nlohmann::json& data) { data["submitted_by"] = nullptr; }},
};

}  // namespace

std::span<const Upcaster> upcasters() { return kUpcasters; }

int upcast(std::span<const Upcaster> table, std::string_view type, int version,
           nlohmann::json& data) {
  for (bool climbed = true; climbed;) {
    climbed = false;
    for (const auto& step : table) {
      if (step.type != type || step.from != version) continue;
      if (!data.is_object()) throw CodecError("", "expected an object");
      step.climb(data);
      ++version;
      climbed = true;
    }
  }
  return version;
}

}  // namespace annolog::codec
