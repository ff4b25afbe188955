#include "app/await_database.hpp"

#include <chrono>

#include "projections/engine/migrator.hpp"
#include "projections/pg/errors.hpp"

namespace annolog::app {

bool await_database(const platform::Settings& settings, platform::Logger& logger,
                    const sigset_t& stop_signals) {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::seconds(settings.database_wait_s);
  while (true) {
    try {
      projections::Migrator(settings.database_url).run();
      return true;
    } catch (const projections::PgUnavailable& away) {
      if (Clock::now() >= until) throw;
      logger.warn("waiting for PostgreSQL", {{"error", away.what()}});
    }
    constexpr timespec kPause{1, 0};
    if (sigtimedwait(&stop_signals, nullptr, &kPause) > 0) return false;
  }
}

}  // namespace annolog::app
