#include "platform/settings_table.hpp"

#include "platform/settings_checks.hpp"

namespace annolog::platform {
namespace {

using S = Settings;

constexpr double kGiB = 1024.0 * 1024 * 1024;

constexpr Setting kSettings[] = {
    // Process
    {"data_dir", &S::data_dir, "folder of log, keys, objects and run files", {}, check_not_empty},
    {"log_level", &S::log_level, "trace, debug, info, warn or error", {}, check_log_level},
    {"roles",
     &S::roles,
     "what this process does: api, commands, projections, workers",
     {},
     check_role},
    {"node_name", &S::node_name, "name among the nodes; empty: made up", {}, check_name},
    {"keys_dir", &S::keys_dir, "folder of the signing keys; empty: DATA/keys"},
    {"objects_dir", &S::objects_dir, "folder of the objects; empty: DATA/objects"},
    // Event log
    {"log", &S::log, "where the events are: rocksdb or kafka", {}, check_log},
    {"kafka_bootstrap", &S::kafka_bootstrap, "brokers, host:port, separated by commas"},
    {"kafka_prefix", &S::kafka_prefix, "begins the topics' names", {}, check_topic_prefix},
    {"kafka_replication",
     &S::kafka_replication,
     "copies of each topic; 0: three, or one a broker",
     {0, 7}},
    {"kafka_session_timeout_ms",
     &S::kafka_session_timeout_ms,
     "milliseconds of silence after which a node's shards move",
     {1000, 300'000}},
    {"kafka_properties",
     &S::kafka_properties,
     "further librdkafka properties, name=value",
     {},
     check_property,
     {},
     true},
    {"shards", &S::shards, "parts of the log, fixed when it is made", {1, 1024}},
    {"stop_timeout_s", &S::stop_timeout_s, "seconds for work in hand on SIGTERM", {0, 300}},
    // HTTP
    {"http_address", &S::http_address, "IP address to listen on", {}, check_address},
    {"http_port", &S::http_port, "port to listen on; 0 takes a free one", {0, 65'535}},
    {"public_url",
     &S::public_url,
     "URL under which clients reach the service",
     {},
     check_public_url,
     "PUBLIC_URL"},
    {"trusted_proxies",
     &S::trusted_proxies,
     "addresses or networks whose X-Forwarded-For counts",
     {},
     check_network,
     "TRUSTED_PROXIES"},
    {"cors_origins", &S::cors_origins, "origins that browsers may call from", {}, check_origin},
    {"io_threads", &S::io_threads, "threads for connections", {1, 256}},
    {"max_connections", &S::max_connections, "open connections", {1, 1'000'000}},
    {"max_header_bytes", &S::max_header_bytes, "bytes of a request's head", {1024, 1'048'576}},
    {"max_body_bytes", &S::max_body_bytes, "bytes of a JSON body", {1024, kGiB}},
    {"max_image_bytes", &S::max_image_bytes, "bytes of an image upload", {1, 64 * kGiB}},
    {"max_video_bytes", &S::max_video_bytes, "bytes of a video upload", {1, 1024 * kGiB}},
    {"request_timeout_s", &S::request_timeout_s, "seconds to receive a request", {1, 3600}},
    {"idle_timeout_s", &S::idle_timeout_s, "seconds a connection may idle", {1, 86'400}},
    {"signed_url_minutes", &S::signed_url_minutes, "minutes a signed URL lives", {1, 10'080}},
    // PostgreSQL
    {"database_url", &S::database_url, "libpq connection string or URL", {}, nullptr, {}, true},
    {"database_connections", &S::database_connections, "connections to PostgreSQL", {1, 1000}},
    {"database_wait_s",
     &S::database_wait_s,
     "seconds to wait for PostgreSQL at a start",
     {0, 86'400}},
    // Commands and reads
    {"command_threads", &S::command_threads, "threads that decide commands", {1, 256}},
    {"command_queue_limit", &S::command_queue_limit, "waiting commands per writer", {1, 1'000'000}},
    {"command_deadline_ms",
     &S::command_deadline_ms,
     "milliseconds a command may take",
     {1, 600'000}},
    {"read_wait_ms", &S::read_wait_ms, "milliseconds a read waits for its read model", {0, 60'000}},
    {"task_lock_minutes", &S::task_lock_minutes, "minutes a task lock lasts", {1, 10'080}},
    // Identity
    {"admin_username",
     &S::admin_username,
     "first super_admin's name (first start only)",
     {},
     nullptr,
     "ADMIN_USERNAME"},
    {"admin_password",
     &S::admin_password,
     "first super_admin's password (first start only)",
     {},
     nullptr,
     "ADMIN_PASSWORD",
     true},
    {"access_token_minutes", &S::access_token_minutes, "minutes an access token lives", {1, 1440}},
    {"login_threads", &S::login_threads, "threads that check passwords", {1, 64}},
    {"login_rate_per_minute",
     &S::login_rate_per_minute,
     "logins per client address",
     {1, 1'000'000}},
    {"argon2_memory_kib", &S::argon2_memory_kib, "KiB of memory per password hash", {8, 4'194'304}},
    {"argon2_passes", &S::argon2_passes, "passes per password hash", {1, 100}},
};

}  // namespace

std::span<const Setting> setting_table() { return kSettings; }

}  // namespace annolog::platform
