#include "app/service.hpp"

#include <cstdlib>

#include "api/audit_origins.hpp"
#include "api/audit_recorder.hpp"
#include "api/auth/captchas.hpp"
#include "api/auth/gate.hpp"
#include "api/auth/operator_token.hpp"
#include "api/auth/sign_in_failures.hpp"
#include "api/change_watch.hpp"
#include "api/http/access_log.hpp"
#include "api/http/cursor_signer.hpp"
#include "api/http/server.hpp"
#include "api/opened_origins.hpp"
#include "api/read_lines.hpp"
#include "api/routes/tables.hpp"
#include "api/second_look.hpp"
#include "api/task_loader.hpp"
#include "api/task_pages.hpp"
#include "app/audit_proof.hpp"
#include "app/background_work.hpp"
#include "app/directory_memory.hpp"
#include "app/engine.hpp"
#include "app/export_job.hpp"
#include "app/first_user.hpp"
#include "app/health_checks.hpp"
#include "app/import_job.hpp"
#include "app/notification_source.hpp"
#include "app/oidc.hpp"
#include "app/read_side.hpp"
#include "app/realtime.hpp"
#include "app/server_options.hpp"
#include "app/service_options.hpp"
#include "app/storage.hpp"
#include "commands/process_managers/naming.hpp"
#include "platform/objects/file_store.hpp"
#include "platform/signed_text.hpp"
#include "projections/engine/read_barrier.hpp"
#include "projections/engine/rebuild.hpp"
#include "projections/feed/queries.hpp"

namespace annolog::app {
namespace {

constexpr int kLogBrokenExit = 70;
constexpr std::size_t kOriginsKept = 10'000;

platform::SignedUrls::Mac url_mac(const platform::Keyring& keyring) {
  // The lasting key: links live for minutes, but a restart or rotation must not break them.
  return [key = keyring.lasting(platform::Purpose::url)](std::string_view message) {
    return std::string(platform::as_bytes_view(platform::hmac_sha256(key, message)));
  };
}

// Argon2 fills cores for tens of milliseconds, digests of large files for longer: requests that
// need none of it go first.
platform::ThreadPoolOptions giving_way(platform::ThreadPoolOptions options) {
  options.gives_way = true;
  return options;
}

}  // namespace

// In the order of making; destroyed the other way round.
struct Service::Parts {
  Parts(const platform::Settings& s, const platform::Clock& c, platform::Logger& l);

  void await_read_models();
  platform::ThreadPoolOptions pool(const char* name, std::int64_t threads, std::size_t queue);
  api::Services make_services();

  const platform::Settings settings;
  const platform::Clock& clock;
  platform::Logger& logger;
  std::atomic<bool> stopping{false};
  DataFolders folders;
  platform::Metrics metrics;
  platform::Keyring keyring;
  std::unique_ptr<Engine> engine;
  eventstore::EventLog* log;
  std::unique_ptr<eventstore::SubjectKeys> subject_keys;
  api::PersonKeys keys_of_persons;
  DirectoryMemory memory;
  projections::Positions loaded;  // what of the log `memory` has seen when the service starts
  platform::FileStore objects;

  commands::Naming naming;

  projections::ReadBarrier barrier;
  projections::ReadPool reads, shared;
  std::unique_ptr<ReadSide> read_side;
  BackgroundWork background;
  AuditProof audit_proof;

  platform::ThreadPool read_threads, login_threads, file_threads, hash_threads, export_threads,
      import_threads, body_threads, look_threads, name_threads, oidc_threads, replay_threads;
  api::ReadLineParts read_lines;
  api::Acknowledged acknowledged;
  api::ChangeWatch changes;
  api::SecondLook second_look;
  api::PersonalData personal_data;
  api::AuditOrigins audit_origins;
  api::OpenedOrigins opened_origins;
  platform::Jwt jwt;
  platform::PasswordHasher hasher;
  platform::RateLimiter login_rate, registration_rate;
  api::SignInFailures sign_in_failures;
  api::Captchas captchas;
  std::unique_ptr<api::OidcDoor> oidc;
  platform::SignedUrls signed_urls;
  platform::TextSigner signer;
  http::Cursors cursors;
  api::TaskLoader tasks;
  api::TaskPages task_pages;
  api::TokenGate gate;
  api::ApiOptions options;
  Realtime realtime;
  api::Services services;
  http::Router router;
  http::AccessLog access_log;
  api::AuditRecorder recorder;
  http::Server server;
  std::optional<FirstUser> first_user;
};

Service::Parts::Parts(const platform::Settings& s, const platform::Clock& c, platform::Logger& l)
    : settings(s),
      clock(c),
      logger(l),
      folders((DataFolders(s).create(), s)),
      keyring(platform::Keyring::open(folders.keys)),
      engine(make_engine(s, c, l, metrics,
                         [&l](const std::string& why) {
                           l.error("stopping at once", {{"why", why}});
                           std::_Exit(kLogBrokenExit);  // no destructor may touch the log any more
                         })),
      log(&engine->log()),
      subject_keys(open_subject_keys(s, keyring, l)),
      keys_of_persons(person_keys(*subject_keys)),
      memory(keys_of_persons, c, l),
      objects(folders.objects),
      naming(engine->bus()),
      barrier(log->shard_count()),
      reads(read_options(s)),
      shared(shared_options(s)),
      read_side(make_read_side(s, {*log, barrier, c, l, metrics, unseal_with(keys_of_persons),
                                   WebhookWork::types_and(DirectoryMemory::types()),
                                   [this](eventstore::Position at, const Event& event) {
                                     memory.follow(at, event);
                                     background.follow(at, event);
                                     realtime.judge_again(event);
                                   },
                                   [this] { return engine->hears_log(); }})),
      background(s, *log, keyring, {engine->bus(), reads, barrier, objects, c, l, metrics}),
      audit_proof({s, *log, engine->bus(), reads, shared, barrier, objects, keyring,
                   keys_of_persons, c, l, metrics}),
      read_threads(pool("reads", s.database_connections, 4096)),
      login_threads(giving_way(pool("logins", s.login_threads, 256))),
      file_threads(pool("files", 4, 4096)),
      hash_threads(giving_way(pool("hashes", 2, 64))),
      export_threads(pool("exports", api::kExportsAtOnce, api::kExportsAtOnce)),
      import_threads(pool("imports", api::kImportsAtOnce, api::kImportsUnderWay)),
      body_threads(pool("bodies", 2, 256)),
      look_threads(pool("looks", 1, 256)),
      name_threads(pool("names", 4, 64)),
      oidc_threads(pool("oidc", 4, 256)),
      replay_threads(pool("replays", 2, 1024)),
      read_lines{reads, read_threads,
                 metrics.counter({"read_lines_broken_total",
                                  "Connections of I/O threads to PostgreSQL that broke, or could "
                                  "not be opened"})},
      acknowledged(log->shard_count()),
      changes({barrier, l,
               [this](std::span<const api::ChangeWatch::Place> places) {
                 return projections::FeedQueries(reads).news(places, log->shard_count());
               },
               log->shard_count()}),
      second_look({barrier, look_threads, l,
                   [this](eventstore::ShardId shard, auto longest) {
                     return log->latest_end(shard, longest);
                   },
                   log->shard_count(), std::chrono::milliseconds(s.read_wait_ms)}),
      personal_data(keys_of_persons, keyring),
      audit_origins(personal_data, kOriginsKept,
                    metrics.counter({"audit_origins_lost_total",
                                     "Rows of the audit without address and user agent, as these "
                                     "could not be sealed"})),
      opened_origins(
          [this](const RequestOrigin& origin) { return api::open_origin(personal_data, origin); },
          kOriginsKept),
      jwt(keyring, std::string(api::kTokenIssuer)),
      hasher({s.argon2_memory_kib, s.argon2_passes},
             metrics.counter({"password_hashes_total", "Passwords hashed to be kept or compared"})),
      login_rate(c, {s.login_rate_per_minute, 60'000, 100'000}),
      registration_rate(c, {s.open_registrations_per_minute, 60'000, 100'000}),
      sign_in_failures(shared, keyring.lasting(platform::Purpose::captcha), failure_limits(s)),
      captchas(shared, keyring),
      oidc(open_oidc_door(s, keyring, c, oidc_threads, stopping)),
      signed_urls(url_mac(keyring)),
      signer(keyring),
      cursors(http::cursor_signer(signer)),
      tasks(reads, read_threads, c),
      task_pages(reads, memory.directory),
      gate({c, jwt, memory.directory, memory.ended_sessions, memory.known_keys, acknowledged,
            barrier, second_look, engine->bus(), s.read_wait_ms}),
      options(api_options(s)),
      realtime(s, {*log, barrier, gate, memory.directory, tasks, reads, read_threads, second_look,
                   replay_threads, c, l, metrics,
                   notification_source({reads, memory.directory, c, options.notifications_kept_ms,
                                        log->shard_count()})}),
      services(make_services()),
      router(has_role(s, "api") ? api::all_routes(services) : api::system_routes(services)),
      access_log(router, l, metrics),
      recorder(services, s.audit_anonymous_per_minute),
      server(server_options(s), {router, gate, c, access_log, body_threads, &recorder}) {}

platform::ThreadPoolOptions Service::Parts::pool(const char* name, std::int64_t threads,
                                                 std::size_t queue) {
  const auto depth = metrics.gauge(
      {"thread_pool_waiting", "Tasks waiting for a blocking thread", {{"pool", name}}});
  return {.name = name,
          .threads = static_cast<std::size_t>(threads),
          .queue_limit = queue,
          .on_depth = [depth](std::size_t n) { depth.set(static_cast<double>(n)); },
          .on_exception =
              [this, name](std::exception_ptr failure) {
                try {
                  std::rethrow_exception(failure);
                } catch (const std::exception& error) {
                  logger.error("a pool's task failed", {{"pool", name}, {"error", error.what()}});
                }
              }};
}

api::Services Service::Parts::make_services() {
  return {.options = options,
          .stopping = stopping,
          .clock = clock,
          .logger = logger,
          .metrics = metrics,
          .bus = engine->bus(),
          .naming = naming,
          .reads = reads,
          .barrier = barrier,
          .read_threads = read_threads,
          .read_lines = read_lines,
          .login_threads = login_threads,
          .file_threads = file_threads,
          .hash_threads = hash_threads,
          .export_threads = export_threads,
          .import_threads = import_threads,
          .name_threads = name_threads,
          .directory = memory.directory,
          .changes = changes,
          .acknowledged = acknowledged,
          .second_look = second_look,
          .personal_data = personal_data,
          .audit_origins = audit_origins,
          .opened_origins = opened_origins,
          .jwt = jwt,
          .secrets_key = keyring.lasting(platform::Purpose::secret),
          .hasher = hasher,
          .login_rate = login_rate,
          .sign_in_failures = sign_in_failures,
          .captchas = captchas,
          .oidc = oidc.get(),
          .registration_rate = registration_rate,
          .objects = objects,
          .signed_urls = signed_urls,
          .cursors = cursors,
          .tasks = tasks,
          .task_pages = task_pages,
          .sockets = realtime.hub(),
          .open_export = open_export_with(reads, log->shard_count()),
          .check_export = &check_export,
          .open_audit_export = audit_proof.open_export(),
          .signing_public_keys = audit_proof.public_keys(),
          .import_document = import_document_with(reads, stopping),
          .probe_image = &probe_image,
          .measure_items = measure_items_with(objects, logger),
          .check_webhook_url = webhook_url_check(settings),
          .webhook_key = keyring.lasting(platform::Purpose::webhook),
          .health = health_checks({reads, *log, *engine, *read_side, folders.objects})};
}

// All that is in the log was acknowledged, by this run or one before it: a read must see it. And
// who may do what is judged by the directory, so it gets a moment to catch up before the first
// call.
void Service::Parts::await_read_models() {
  const auto until =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(settings.read_wait_ms);
  for (std::uint16_t s = 0; s < log->shard_count(); ++s) {
    const eventstore::ShardId shard(s);
    acknowledged.note({shard, log->end(shard)});
    barrier.wait(shard, log->end(shard), until);
  }
}

Service::Service(const platform::Settings& settings, const platform::Clock& clock,
                 platform::Logger& logger)
    : parts_(std::make_unique<Parts>(settings, clock, logger)) {}

Service::~Service() { stop(); }

void Service::load(const std::function<bool()>& stopping) {
  parts_->read_side->prepare(stopping);
  parts_->loaded = parts_->memory.load(parts_->reads, parts_->log->shard_count());
}

void Service::start() {
  auto& p = *parts_;
  p.engine->observe([&p](std::span<commands::CommittedEvent> events) {
    for (auto& committed : events) {
      p.background.on_event(committed.at, committed.event);
      p.audit_proof.on_event(committed.event);
      p.memory.shut_out(committed.at, committed.event);
      p.realtime.judge_again(committed.event);
      p.read_side->hand_over(committed.at, committed.bytes, std::move(committed.event));
    }
  });
  p.engine->on_ownership(
      [&p](eventstore::ShardId shard, bool owned) { p.background.owned(shard, owned); });
  p.engine->start();
  p.background.start();
  p.audit_proof.start();
  // What an earlier run acknowledged is to be seen from the first read on.
  for (std::uint16_t s = 0; s < p.log->shard_count(); ++s) {
    const eventstore::ShardId shard(s);
    p.acknowledged.note({shard, p.log->end(shard)});
  }
  const auto listening =
      p.metrics.gauge({"event_readers_waiting", "Readers of change feeds that wait for an event"});
  const auto connections =
      p.metrics.gauge({"http_connections", "Open connections, WebSockets too"});
  p.metrics.before_expose([&p, listening, connections] {
    listening.set(static_cast<double>(p.changes.waiting()));
    connections.set(static_cast<double>(p.server.connections()));
    p.engine->publish_lag();
    p.read_side->publish_lag();
  });
  p.read_side->start(p.loaded);
  p.realtime.start(p.loaded);
  if (p.engine->decides())
    p.first_user =
        make_first_user(p.settings, *p.log, p.engine->bus(), p.personal_data, p.hasher, p.clock);
  p.acknowledged.note({commands::kDirectory, p.log->end(commands::kDirectory)});
  p.await_read_models();
  p.changes.start();
  p.server.start();
  p.logger.info("listening", {{"address", address()}, {"version", ANNOLOG_VERSION}});
}

void Service::stop() {
  auto& p = *parts_;
  p.stopping = true;
  p.changes.stop();  // streams end, and calls that wait for an event
  p.background.finish();
  p.realtime.close_sockets();
  p.audit_proof.finish();
  p.server.stop(std::chrono::seconds(p.settings.stop_timeout_s));
  p.barrier.close();  // reads that still wait end while their threads are there
  p.engine->stop();
  p.background.stop();
  p.audit_proof.stop_archives();
  p.read_side->stop();
  p.realtime.stop();
  p.audit_proof.stop_checkpoints();
  for (auto* pool : {&p.read_threads, &p.login_threads, &p.file_threads, &p.hash_threads,
                     &p.export_threads, &p.import_threads, &p.body_threads, &p.look_threads,
                     &p.name_threads, &p.oidc_threads, &p.replay_threads}) {
    pool->stop(std::chrono::milliseconds(0));
  }
}

std::string Service::address() const {
  return parts_->settings.http_address + ":" + std::to_string(parts_->server.port());
}

std::string Service::first_password() const {
  return parts_->first_user ? parts_->first_user->made_up_password : "";
}

std::string Service::first_username() const {
  return parts_->first_user ? parts_->first_user->username : "";
}

}  // namespace annolog::app
