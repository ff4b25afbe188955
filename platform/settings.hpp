// Every setting of the service, with its default, and where settings come from.
// Each has one name: `http_port` is the flag --http-port, the environment variable
// ANNOLOG_HTTP_PORT and the file line `http_port = 8080`. Names that the specification fixes
// (ADMIN_USERNAME, PUBLIC_URL, ...) are read from the environment too; the ANNOLOG_ form wins.
// Precedence: flag, environment, file, default. A bad value is an error even where a stronger
// source overrides it. Units stand last in names; sizes are bytes. An empty environment variable
// counts as not set. In the file a line that starts with # is a comment; lists are separated by
// commas; a value may stand in double quotes. A Settings is a plain value: load it once at start
// and pass it on by const reference.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "domain/support/result.hpp"

namespace annolog::platform {

struct Settings {
  // Process
  std::string data_dir = "./data";
  std::string log_level = "info";
  std::vector<std::string> roles = {"api", "commands", "projections", "workers"};
  std::string node_name;    // empty: made up at each start
  std::string keys_dir;     // empty: data_dir/keys
  std::string objects_dir;  // empty: data_dir/objects

  // Event log
  std::string log = "rocksdb";
  std::int64_t shards = 64;
  std::string kafka_bootstrap;
  std::string kafka_prefix = "annolog";
  std::int64_t kafka_replication = 0;  // 0: three, or as many as there are brokers
  std::int64_t kafka_session_timeout_ms = 6'000;
  std::vector<std::string> kafka_properties;  // name=value, librdkafka's own
  std::int64_t stop_timeout_s = 6;

  // HTTP
  std::string http_address = "127.0.0.1";
  std::int64_t http_port = 8080;  // 0: any free one
  std::string public_url;         // without a trailing slash; empty: http://address:port
  std::vector<std::string> trusted_proxies;
  std::vector<std::string> cors_origins;
  std::int64_t io_threads = 2;
  std::int64_t max_connections = 10'000;
  std::int64_t max_header_bytes = 16'384;
  std::int64_t max_body_bytes = 8LL << 20;
  std::int64_t max_image_bytes = 100LL << 20;
  std::int64_t max_video_bytes = 20LL << 30;
  std::int64_t request_timeout_s = 30;
  std::int64_t idle_timeout_s = 60;
  std::int64_t signed_url_minutes = 15;

  // WebSockets
  std::int64_t realtime_connections = 200;
  std::int64_t realtime_connections_per_user = 10;
  std::int64_t realtime_ping_s = 25;
  std::int64_t realtime_notification_ping_s = 30;
  std::int64_t realtime_idle_s = 60;

  // PostgreSQL
  std::string database_url;
  std::int64_t database_connections = 8;
  std::int64_t database_wait_s = 60;

  // Commands and reads
  std::int64_t command_threads = 2;
  std::int64_t command_queue_limit = 4096;
  std::int64_t command_deadline_ms = 10'000;
  std::int64_t read_wait_ms = 2000;
  std::int64_t event_readers = 300;
  std::int64_t event_readers_of_user = 10;
  std::int64_t task_lock_minutes = 30;
  std::int64_t checkpoint_seconds = 60;  // 0: none are signed
  std::int64_t thumbnail_workers = 1;    // 0: no thumbnails are made
  std::int64_t notification_days = 90;

  // Webhooks
  std::string webhook_allow_private = "off";
  std::string webhook_ca_file;  // PEM; empty: the system's roots
  std::int64_t webhook_timeout_ms = 15'000;
  std::int64_t webhook_connections = 64;  // 0: this process sends none
  std::int64_t webhook_connections_each = 8;
  // One day in all, with eleven attempts.
  std::vector<std::string> webhook_retry_s = {"5",    "30",   "120",   "600",   "1800",
                                              "3600", "7200", "14400", "28800", "30000"};
  std::int64_t webhook_disable_after_s = 3LL * 24 * 3600;
  std::int64_t webhook_retention_days = 30;

  // Identity
  std::string admin_username;
  std::string admin_password;
  std::int64_t access_token_minutes = 30;
  std::int64_t refresh_token_days = 7;
  std::int64_t refresh_rate_per_minute = 5;
  std::string allow_open_registration = "off";
  std::int64_t open_registrations_per_minute = 3;
  std::int64_t max_invitations_per_day = 30;
  std::int64_t audit_anonymous_per_minute = 60;
  std::string oidc_issuer;  // empty: no sign-in by OpenID Connect
  std::string oidc_client_id;
  std::string oidc_client_secret;
  std::string oidc_scopes = "openid email profile";
  std::string oidc_name = "Single sign-on";
  std::string oidc_ca_file;  // PEM; empty: the system's roots
  std::int64_t login_threads = 2;
  std::int64_t login_rate_per_minute = 30;
  std::int64_t login_failures_before_captcha = 3;
  std::int64_t login_failure_window_s = 180;
  std::int64_t argon2_memory_kib = 65'536;
  std::int64_t argon2_passes = 2;
};

using TextMap = std::map<std::string, std::string, std::less<>>;

struct SettingsSources {
  TextMap flags = {};        // by name, with - or _ between words, without the leading dashes
  TextMap environment = {};  // usually process_environment()
  // The file to read; absent: the one that ANNOLOG_CONFIG names, if any.
  std::optional<std::filesystem::path> file = {};
};

// All errors found at once: kind invalid, code INVALID_SETTINGS, one FieldError a setting
// (loc = its name), `message` = all of them, a line each. Values of secrets are never repeated.
Result<Settings> load_settings(const SettingsSources& sources);

// The only place that looks at the process's environment. Call before threads start.
TextMap process_environment();

struct SettingHelp {
  std::string name;           // http_port
  std::string flag;           // --http-port
  std::string environment;    // ANNOLOG_HTTP_PORT, or "ANNOLOG_PUBLIC_URL, PUBLIC_URL"
  std::string default_value;  // as text; empty when there is none
  std::string help;           // one line with the unit and what is allowed
};
// One entry a setting, in the order of the table: what a command line offers as flags.
std::vector<SettingHelp> setting_list();
// The same as text for a terminal.
std::string settings_help();
// `name = value` lines of what is in force; secrets as ****.
std::string describe(const Settings& settings);

}  // namespace annolog::platform
