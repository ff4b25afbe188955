#include "projections/engine/rebuild_reason.hpp"

#include "projections/engine/rebuild.hpp"

namespace annolog::projections {

std::string reason_of_another_log(const Control& control, const std::string& log_id) {
  return control.log_id && *control.log_id != log_id ? "they follow another log" : "";
}

std::string reason_to_rebuild(const Control& control, const std::string& log_id) {
  if (control.version != kReadModelVersion || control.definition != read_schema_definition())
    return "they were made by another version";
  return reason_of_another_log(control, log_id);
}

std::string reason_to_rebuild(const Positions& shown, const eventstore::EventLog& log) {
  for (std::size_t i = 0; i < shown.size(); ++i)
    if (shown[i] > log.end(eventstore::ShardId{static_cast<std::uint16_t>(i)}))
      return "they are ahead of the log";
  return {};
}

}  // namespace annolog::projections
