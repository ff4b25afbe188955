#include "api/work.hpp"

#include <algorithm>

#include "api/await_callback.hpp"
#include "api/http/route.hpp"
#include "api/read_refusals.hpp"
#include "api/request_facts.hpp"
#include "platform/digest.hpp"
#include "platform/encoding.hpp"

namespace annolog::api {
namespace {

// Keyed: bodies name people, and what is short could be guessed from a plain digest.
std::string fingerprint(const Call& call, const Services& services, const std::string& body_text) {
  std::string text(call.head().method_text);
  text += ' ';
  text += call.head().path;
  text += '\n';
  text += call.head().query;
  text += '\n';
  text += body_text;
  return platform::to_hex(
      platform::as_bytes_view(platform::hmac_sha256(services.secrets_key, text)));
}

}  // namespace

// Of a command's outcome: a full pool of this node's own answers OVERLOADED, too.
bool is_refused_by_log(const DomainError& error) {
  return error.code == "OVERLOADED" || error.code == "STORAGE_FULL" || error.code == "STOPPING" ||
         error.code == "EVENT_LOG_UNAVAILABLE";
}

awaitable<Result<Done>> run_command(Call& call, Services& services, commands::Command command,
                                    std::string body_text) {
  co_return co_await run_through(
      call, services, std::move(command), std::move(body_text),
      [&services](commands::Envelope envelope) { services.bus.send(std::move(envelope)); });
}

namespace {

commands::Envelope envelope_of(const Call& call, const Services& services,
                               commands::Command command) {
  commands::Envelope envelope;
  envelope.command = std::move(command);
  envelope.actor = call.caller().id;
  envelope.role = call.caller().role;
  envelope.request_id = call.request_id();
  envelope.traceparent = call.traceparent();
  envelope.deadline_ms = services.clock.monotonic_ms() + services.options.command_deadline_ms;
  return envelope;
}

awaitable<Result<Done>> outcome_of(Call& call, Services& services, commands::Envelope envelope,
                                   Send send) {
  auto outcome = co_await await_callback<commands::Outcome>(
      call.executor(), [&](std::function<void(commands::Outcome)> done) {
        envelope.done = std::move(done);
        send(std::move(envelope));
      });
  if (outcome.position) services.acknowledged.note(*outcome.position);
  if (outcome.row) services.acknowledged.note(*outcome.row);
  call.audit().recorded = call.audit().recorded || outcome.recorded;
  if (outcome.replayed) call.audit().detail.replayed = true;  // for a row that is left at the end
  call.audit().refused_by_log = !outcome.reply && is_refused_by_log(outcome.reply.error());
  if (!outcome.reply) co_return std::move(outcome.reply).error();
  co_return Done{std::move(outcome.reply).value(), outcome.position, outcome.replayed};
}

}  // namespace

awaitable<Result<Done>> run_through(Call& call, Services& services, commands::Command command,
                                    std::string body_text, Send send) {
  commands::Envelope envelope = envelope_of(call, services, std::move(command));
  if (call.idempotency_key()) {
    envelope.idempotency =
        commands::IdempotencyKey{*call.idempotency_key(), fingerprint(call, services, body_text)};
  }
  if (goes_with_command(call))
    envelope.request = co_await request_facts(call, services, call.route().reply.status);
  co_return co_await outcome_of(call, services, std::move(envelope), std::move(send));
}

awaitable<Result<Done>> run_unkeyed(Call& call, Services& services, commands::Command command,
                                    Send send) {
  co_return co_await outcome_of(call, services, envelope_of(call, services, std::move(command)),
                                std::move(send));
}

awaitable<Result<Done>> look(Call& call, Services& services, commands::Command command) {
  co_return co_await run_unkeyed(
      call, services, std::move(command),
      [&services](commands::Envelope envelope) { services.bus.send(std::move(envelope)); });
}

http::Reply written(http::Reply reply, const std::vector<commands::Position>& positions,
                    bool replayed) {
  if (!positions.empty()) {
    reply.headers.emplace_back("X-Event-Position", position_token(positions));
  }
  if (replayed) reply.headers.emplace_back("Idempotency-Replayed", "true");
  return reply;
}

http::Reply written(http::Reply reply, const Done& done) {
  std::vector<commands::Position> positions;
  if (done.position) positions.push_back(*done.position);
  return written(std::move(reply), positions, done.replayed);
}

namespace {

// What the read has to wait for and is not there yet.
Result<std::vector<commands::Position>> missing(Call& call, Services& services,
                                                const std::vector<commands::ShardId>& shards) {
  std::vector<commands::Position> wanted;
  const auto want = [&](const commands::Position& position) {
    if (!services.barrier.reached(position)) wanted.push_back(position);
  };
  if (const auto token = call.event_position()) {
    auto named = parse_position_token(*token, services.bus.shard_count());
    if (!named) {
      return DomainError{DomainError::Kind::bad_request,
                         "INVALID_POSITION",
                         "X-Event-Position is not one that this service gave.",
                         {},
                         {},
                         0};
    }
    std::ranges::for_each(*named, want);
  }
  const auto want_acknowledged = [&](commands::ShardId shard) {
    want({shard, services.acknowledged.last(shard)});
  };
  std::ranges::for_each(shards, want_acknowledged);
  if (shards.empty()) {
    for (std::uint16_t s = 0; s < services.bus.shard_count(); ++s)
      want_acknowledged(commands::ShardId(s));
  }
  return wanted;
}

}  // namespace

awaitable<Result<void>> wait_for_reads(Call& call, Services& services,
                                       std::vector<commands::ShardId> shards) {
  BOOST_OUTCOME_CO_TRY(auto wanted, missing(call, services, shards));
  const auto until =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(services.options.read_wait_ms);
  for (const auto& position : wanted) {
    const bool reached =
        co_await await_callback<bool>(call.executor(), [&](std::function<void(bool)> done) {
          services.barrier.when_reached(position.shard, position.offset, until, std::move(done));
        });
    if (!reached) co_return read_model_behind();
  }
  const bool stale = shards.empty() ? services.barrier.stale_shards() > 0
                                    : std::ranges::any_of(shards, [&](commands::ShardId shard) {
                                        return services.barrier.is_stale(shard);
                                      });
  if (stale) co_return read_model_behind();
  co_return success();
}

awaitable<void> hear_directory(Call& call, Services& services) {
  static_cast<void>(co_await wait_for_reads(call, services, {commands::kDirectory}));
}

void complete(const Services& services, TaskView& task) { services.directory.name_people(task); }

void complete(const Services& services, CommentView& comment) {
  comment.author = services.directory.brief(comment.author_id);
}

void complete(const Services& services, ProjectView& project) {
  project.owner_name = services.directory.brief(project.owner_id).name;
}

void complete(const Services& services, MemberView& member) {
  member.user = services.directory.brief(member.user_id);
}

void complete(const Services& services, UserView& user) {
  user.group_name = services.directory.group_name(user.group_id);
}

void complete(const Services& services, NotificationView& notification) {
  auto& actor = notification.payload.actor;
  if (actor) actor->name = services.directory.brief(actor->id).name;
}

std::string base_url(const Call& call, const Services& services) {
  if (!services.options.public_url.empty()) return services.options.public_url;
  const auto host = call.head().header("host");
  if (!host) return {};
  return (call.head().over_tls ? "https://" : "http://") + std::string(*host);
}

SignedLink download_link(const Call& call, const Services& services, const std::string& file_path) {
  auto key = platform::ObjectKey::parse(file_path);
  if (!key) return {};
  // Expiries on a grid: a resource read twice shows the same URL, and browsers may cache by it.
  const std::int64_t step_ms = std::max<std::int64_t>(1, services.options.signed_url_ms / 3);
  const Timestamp begun{call.now().ms / step_ms * step_ms};
  const platform::UrlGrant grant{.method = "GET",
                                 .key = std::move(key).value(),
                                 .expires_at = begun + services.options.signed_url_ms,
                                 .size_bytes = std::nullopt,
                                 .max_bytes = std::nullopt,
                                 .content_type = std::nullopt,
                                 .md5_hex = std::nullopt};
  return {base_url(call, services) + services.signed_urls.sign(grant), grant.expires_at};
}

std::string download_url(const Call& call, const Services& services, const std::string& file_path) {
  return download_link(call, services, file_path).url;
}

}  // namespace annolog::api
