#include "api/audit_recorder.hpp"

#include <utility>

#include "api/await_callback.hpp"
#include "api/http/route.hpp"
#include "api/request_facts.hpp"
#include "domain/support/error_status.hpp"

namespace annolog::api {
namespace {

constexpr std::int64_t kMinuteMs = 60'000;
constexpr std::size_t kAddressesMax = 100'000;

// Beside what the request was about, so that its project is known there.
commands::ShardId shard_of(const RequestFacts& facts, std::uint16_t shards) {
  if (facts.project_id) return commands::shard_of(facts.project_id->value, shards);
  if (facts.task_id) return commands::shard_of(facts.task_id->value, shards);
  for (const std::string_view type : {"dataset", "item", "annotation"})
    if (facts.target_type == type && facts.target_id)
      return commands::shard_of(*facts.target_id, shards);
  return commands::kDirectory;
}

DomainError no_row() {
  return {DomainError::Kind::unavailable,
          "AUDIT_UNAVAILABLE",
          "The request could not be kept in the audit.",
          {},
          {},
          1};
}

}  // namespace

AuditRecorder::AuditRecorder(Services& services, std::int64_t anonymous_per_minute)
    : services_(services),
      anonymous_(services.clock, {anonymous_per_minute, kMinuteMs, kAddressesMax}),
      flooded_(services.metrics.counter(
          {"audit_requests_left_out_total",
           "Refused requests of nobody that left no row, as their address sent too many"})),
      lost_(services.metrics.counter(
          {"audit_requests_lost_total", "Requests that left no row, as the log took none"})) {}

http::awaitable<std::optional<DomainError>> AuditRecorder::record(http::Call& call, int status,
                                                                  const DomainError* refusal) {
  const bool is_nobody =
      call.caller().id.value == 0 && !call.caller().is_operator && !call.audit().actor;
  if (is_nobody && !anonymous_.hit(call.head().client_address).allowed) {
    flooded_.add();
    co_return std::nullopt;
  }
  // A log that takes no command takes no row either, and a full queue is not filled further.
  if (refusal != nullptr && call.audit().refused_by_log) {
    lost_.add();
    co_return *refusal;
  }
  std::optional<DomainError> why;
  try {
    why = co_await send(call, status, refusal);
  } catch (const std::exception& error) {
    services_.logger.error("a request left no row in the audit",
                           {{"request_id", call.request_id()}, {"error", error.what()}});
    why = no_row();
  }
  if (why) lost_.add();
  co_return why;
}

http::awaitable<std::optional<DomainError>> AuditRecorder::send(http::Call& call, int status,
                                                                const DomainError* refusal) {
  commands::Envelope envelope;
  envelope.request = co_await request_facts(call, services_, status);
  if (refusal != nullptr) envelope.request->detail.code = refusal->code;
  const auto shard = shard_of(*envelope.request, services_.bus.shard_count());
  envelope.command = RecordRequest{shard.value};
  envelope.actor = call.audit().actor.value_or(call.caller().id);
  envelope.role = call.audit().actor ? call.audit().role : call.caller().role;
  envelope.request_id = call.request_id();
  envelope.traceparent = call.traceparent();
  envelope.deadline_ms = services_.clock.monotonic_ms() + services_.options.command_deadline_ms;
  auto outcome = co_await await_callback<commands::Outcome>(
      call.executor(), [&](std::function<void(commands::Outcome)> done) {
        envelope.done = std::move(done);
        services_.bus.send(std::move(envelope));
      });
  if (outcome.position) services_.acknowledged.note(*outcome.position);
  call.audit().recorded = outcome.recorded;
  // Also when it may have its row: nobody knows.
  if (!outcome.reply) co_return std::move(outcome.reply).error();
  co_return outcome.recorded ? std::nullopt : std::optional(no_row());
}

}  // namespace annolog::api
