#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>

#include "app/await_database.hpp"
#include "app/command_line.hpp"
#include "app/operator_commands.hpp"
#include "app/service.hpp"
#include "app/stop_limit.hpp"
#include "app/storage.hpp"
#include "platform/files.hpp"
#include "projections/engine/migrator.hpp"
#include "projections/engine/rebuild.hpp"

namespace {

using namespace annolog;

constexpr int kFailed = 1;
constexpr int kUnusableOptions = 2;

// For all that ends after the work in hand: leaving the cluster, closing the log.
constexpr std::chrono::seconds kClosingTime{2};

// Before any thread: they inherit the mask, and only wait_for_stop() takes these signals.
sigset_t block_stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  return signals;
}

bool is_stop_pending() {
  sigset_t pending;
  return sigpending(&pending) == 0 &&
         (sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1);
}

// The made-up password of the first administrator: to a terminal, or, where standard output may be
// kept as a log, into a file that only its owner reads, as deploy/up writes it.
void tell_first_sign_in(const app::Service& service, const std::filesystem::path& file) {
  const std::string password = service.first_password();
  if (password.empty()) return;
  const std::string username = service.first_username();
  if (isatty(STDOUT_FILENO) == 1) {
    std::printf("First sign-in: user %s, password %s\n", username.c_str(), password.c_str());
  } else {
    platform::write_file_atomically(file, username + "\n" + password + "\n");
    std::printf("First sign-in: user %s, password in %s\n", username.c_str(), file.c_str());
  }
  std::fflush(stdout);
}

int serve(const platform::Settings& settings, platform::Logger& logger,
          const platform::Clock& clock) {
  const sigset_t signals = block_stop_signals();
  const auto migrate = [&] { projections::Migrator(settings.database_url).run(); };
  if (!app::await_database(settings, logger, signals, migrate)) return 0;
  std::optional<app::StopLimit> limit;  // outlives the service, whose end it limits
  app::Service service(settings, clock, logger);
  const auto load = [&] { service.load(is_stop_pending); };
  try {
    if (!app::await_database(settings, logger, signals, load)) return 0;
  } catch (const projections::RebuildCancelled&) {
    return 0;
  }
  service.start();
  const auto run_folder = app::DataFolders(settings).run;
  tell_first_sign_in(service, run_folder / "first-admin");
  const auto address_file = run_folder / "http.address";
  platform::write_file_atomically(address_file, service.address() + "\n", 0644);
  int received = 0;
  sigwait(&signals, &received);
  limit.emplace(std::chrono::seconds(settings.stop_timeout_s) + kClosingTime, logger);
  logger.info("stopping", {{"signal", received}});
  std::error_code ignored;
  std::filesystem::remove(address_file, ignored);
  service.stop();
  logger.info("stopped");
  return 0;
}

int run_with_settings(app::CommandLine& line) {
  line.settings.environment = platform::process_environment();
  const auto settings = platform::load_settings(line.settings);
  if (!settings) {
    std::fprintf(stderr, "%s\n", settings.error().message.c_str());
    return kUnusableOptions;
  }
  const platform::SystemClock clock;
  platform::Logger logger(
      clock,
      platform::log_level_from(settings.value().log_level).value_or(platform::LogLevel::info));
  switch (line.verb) {
    case app::CommandLine::Verb::migrate: return app::migrate(settings.value());
    case app::CommandLine::Verb::rebuild_projections:
      return app::rebuild_projections(settings.value(), logger);
    case app::CommandLine::Verb::verify_log:
      return app::verify_log(settings.value(), logger, line.verify);
    case app::CommandLine::Verb::show_log: return app::show_log(settings.value(), logger);
    case app::CommandLine::Verb::copy_log:
      return app::copy_log(settings.value(), logger, line.copy);
    case app::CommandLine::Verb::tail_log:
      return app::tail_log(settings.value(), logger, line.tail);
    case app::CommandLine::Verb::replay: return app::replay(settings.value(), logger, line.replay);
    case app::CommandLine::Verb::show_checkpoints:
      if (line.checkpoint.file.empty())
        line.checkpoint.file = app::DataFolders(settings.value()).root / "checkpoints.ndjson";
      return app::show_checkpoints(line.checkpoint, std::cout, std::cerr);
    case app::CommandLine::Verb::rotate_keys: return app::rotate_keys(settings.value());
    case app::CommandLine::Verb::list_keys: return app::list_keys(settings.value());
    case app::CommandLine::Verb::operate_users:
      return app::operate_users(settings.value(), clock, line.user, std::cin, std::cout, std::cerr);
    case app::CommandLine::Verb::refold_state: return app::refold_state(settings.value(), logger);
    default: return serve(settings.value(), logger, clock);
  }
}

int run(app::CommandLine& line) {
  switch (line.verb) {
    case app::CommandLine::Verb::version: std::printf("annolog %s\n", ANNOLOG_VERSION); return 0;
    case app::CommandLine::Verb::import:
      client::complete_from_environment(line.import.connection);
      return client::run_import(line.import, std::cout, std::cerr);
    case app::CommandLine::Verb::export_:
      client::complete_from_environment(line.export_.connection);
      return client::run_export(line.export_, std::cout, std::cerr);
    case app::CommandLine::Verb::verify_audit:
      return app::verify_audit(line.audit, std::cout, std::cerr);
    case app::CommandLine::Verb::verify_checkpoints:
      return app::verify_checkpoints(line.checkpoint, std::cout, std::cerr);
    default: return run_with_settings(line);
  }
}

}  // namespace

int main(int argc, char** argv) {
  annolog::app::CommandLine line;
  int exit_code = 0;
  if (!annolog::app::parse_command_line(argc, argv, line, exit_code)) return exit_code;
  try {
    return run(line);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "annolog: %s\n", error.what());
    return kFailed;
  }
}
