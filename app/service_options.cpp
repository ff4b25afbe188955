#include "app/service_options.hpp"

#include "app/import_job.hpp"
#include "app/log_topics.hpp"
#include "app/storage.hpp"

namespace annolog::app {

api::ApiOptions api_options(const platform::Settings& settings) {
  return {.version = ANNOLOG_VERSION,
          .public_url = settings.public_url,
          .cors_origins = settings.cors_origins,
          .log_topics = log_topics(settings.kafka_prefix),
          .command_deadline_ms = settings.command_deadline_ms,
          .read_wait_ms = settings.read_wait_ms,
          .access_token_ms = settings.access_token_minutes * 60'000,
          .refresh_token_ms = settings.refresh_token_days * 24 * 3600 * 1000,
          .refresh_rate_per_minute = settings.refresh_rate_per_minute,
          .open_registration = settings.allow_open_registration == "on",
          .max_invitations_per_day = settings.max_invitations_per_day,
          .notifications_kept_ms = settings.notification_days * 24 * 3600 * 1000,
          .signed_url_ms = settings.signed_url_minutes * 60'000,
          .max_image_bytes = settings.max_image_bytes,
          .max_video_bytes = settings.max_video_bytes,
          .event_readers = settings.event_readers,
          .event_readers_of_user = settings.event_readers_of_user,
          .import_folder = fresh_import_folder(DataFolders(settings).root)};
}

projections::ReadPoolOptions read_options(const platform::Settings& settings) {
  projections::ReadPoolOptions options;
  options.database_url = settings.database_url;
  options.connections = static_cast<std::size_t>(settings.database_connections);
  return options;
}

projections::ReadPoolOptions shared_options(const platform::Settings& settings) {
  projections::ReadPoolOptions options = read_options(settings);
  options.connections = 2;
  options.read_only = false;
  return options;
}

api::SignInFailureLimits failure_limits(const platform::Settings& settings) {
  return {settings.login_failures_before_captcha,
          std::chrono::seconds(settings.login_failure_window_s)};
}

}  // namespace annolog::app
