#include "app/health_checks.hpp"

#include <string>
#include <system_error>

namespace annolog::app {

std::vector<api::HealthCheck> health_checks(const CheckedParts& of) {
  return {
      {"database", [&reads = of.reads](std::string&) { return reads.reachable(); }},
      {"event-log",
       [&log = of.log, &engine = of.engine](std::string& detail) {
         const auto health = log.health();
         detail = health.detail;
         if (!engine.decides()) detail.clear();  // it only reads the log
         return !health.fatal && (health.writable || !engine.decides());
       }},
      {"object-store",
       [&objects = of.objects](std::string& detail) {
         std::error_code error;
         const auto space = std::filesystem::space(objects, error);
         detail = error ? error.message() : "";
         return !error && space.available > 0;
       }},
      {"projections",
       [&read_side = of.read_side](std::string& detail) {
         detail = read_side.detail();
         return read_side.healthy();
       }},
  };
}

}  // namespace annolog::app
