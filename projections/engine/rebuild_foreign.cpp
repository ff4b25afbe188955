#include "projections/engine/rebuild_foreign.hpp"

#include <string>

#include "projections/engine/control.hpp"
#include "projections/engine/rebuild_reason.hpp"
#include "projections/pg/connection.hpp"

namespace annolog::projections {
namespace {

std::string why_foreign(const eventstore::EventLog& log, const RebuildOptions& options) {
  PgConnection connection({.database_url = options.database_url,
                           .application_name = "annolog-start",
                           .search_path = kLiveSchema,
                           .read_only = false,
                           .stopping = options.cancelled});
  const auto control = load_control(connection);
  if (!control || !control->log_id) return {};
  const std::string reason = reason_of_another_log(*control, log.log_info().log_id);
  if (!reason.empty()) return reason;
  return reason_to_rebuild(load_positions(connection, control->generation, log.shard_count()), log);
}

}  // namespace

void rebuild_foreign_read_models(eventstore::EventLog& log, const Unseal& unseal,
                                 platform::Logger& logger, const RebuildOptions& options) {
  const std::string reason = why_foreign(log, options);
  if (reason.empty()) return;
  logger.warn("rebuilding the read models before the start", {{"reason", reason}});
  const auto report = rebuild_read_models(log, unseal, logger, options);
  logger.info("rebuilt the read models", {{"records", report.records}});
}

}  // namespace annolog::projections
