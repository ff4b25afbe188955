#include "app/await_database.hpp"

#include <chrono>
#include <string>

#include "projections/pg/errors.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::app {

bool await_database(const platform::Settings& settings, platform::Logger& logger,
                    const sigset_t& stop_signals, const std::function<void()>& use) {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::seconds(settings.database_wait_s);
  while (true) {
    std::string away;
    try {
      use();
      return true;
    } catch (const projections::PgUnavailable& error) {
      if (Clock::now() >= until) throw;
      away = error.what();
    } catch (const projections::ReadUnavailable& error) {
      if (Clock::now() >= until) throw;
      away = error.what();
    }
    logger.warn("waiting for PostgreSQL", {{"error", away}});
    constexpr timespec kPause{1, 0};
    if (sigtimedwait(&stop_signals, nullptr, &kPause) > 0) return false;
  }
}

}  // namespace annolog::app
