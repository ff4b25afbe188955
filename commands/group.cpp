#include "commands/group.hpp"

#include "commands/recorded_request.hpp"
#include "domain/codec/events.hpp"
#include "domain/codec/json/json_writer.hpp"
#include "eventstore/record_id.hpp"

namespace annolog::commands {
namespace {

DomainError unavailable(std::string code, std::string message) {
  return {DomainError::Kind::unavailable, std::move(code), std::move(message), {}, {}, 1};
}

std::string mark_of(const Envelope& envelope, const ReplyRef& reply) {
  if (!envelope.idempotency) return {};
  return codec::to_json_text(IdempotencyMark{envelope.actor.value, envelope.idempotency->key,
                                             envelope.idempotency->request_hash, reply});
}

}  // namespace

DomainError queue_full() {
  return unavailable("OVERLOADED", "Too many writes are waiting; try again.");
}
DomainError too_late() {
  return unavailable("DEADLINE_EXCEEDED", "The write waited too long and was not done.");
}
DomainError log_full() {
  return unavailable("STORAGE_FULL", "The log has no room; nothing was written.");
}
DomainError decision_failed() {
  return unavailable("DECISION_FAILED",
                     "The service failed on this write and did nothing; the request id names the "
                     "case.");
}
DomainError stopping() {
  return unavailable("STOPPING", "The service is stopping; nothing was written.");
}

Group::Group(eventstore::Transaction& transaction, std::uint16_t shard_count,
             const platform::Clock& clock, const HandlerOptions& options, OnFailure on_failure)
    : transaction_(transaction),
      shard_count_(shard_count),
      clock_(clock),
      options_(options),
      on_failure_(std::move(on_failure)) {}

Timestamp Group::tick(OwnedShard& shard) const {
  shard.last_ms = std::max(shard.last_ms, clock_.now().ms);
  return Timestamp{shard.last_ms};
}

void Group::add(Envelope envelope, OwnedShard& shard, Refusal refusal) {
  // What is only recorded has happened: its row is never late.
  const bool late = envelope.deadline_ms != 0 && clock_.monotonic_ms() > envelope.deadline_ms &&
                    !std::holds_alternative<RecordRequest>(envelope.command);
  transaction_.in(shard.id);
  transaction_.savepoint();
  if (envelope.request) {  // before the command changes what names lead to
    ShardState state(transaction_, shard.cache, shard.id.value, shard_count_);
    find_target(*envelope.request, state);
  }
  Decided decided{{}, {Reply{}, std::nullopt, false}, {}};
  std::string mark;
  if (late) {
    decided.outcome.reply = too_late();
  } else {
    bool replayed = false;
    auto result = decide_contained(envelope, shard, replayed);
    if (result) {
      auto& recorded = result.value();
      decided.outcome = {std::move(recorded.reply), recorded.position, replayed};
      decided.events = std::move(recorded.events);
      mark = std::move(recorded.mark);
    } else {
      // Refusals come before anything is recorded, so what the shard's cache holds is still true.
      transaction_.rollback();
      decided.outcome = {std::move(result).error(),
                         eventstore::Position{shard.id, transaction_.end(shard.id)}, false};
    }
  }
  const bool passes = !decided.outcome.reply && refusal == Refusal::is_passing;
  if (envelope.request && !passes) record_request(envelope, shard, decided, mark);
  transaction_.end_command(shard.id);
  decided.done = std::move(envelope.done);
  decided_.push_back(std::move(decided));
}

// The answer to a retry keeps the place of the first one, whose row this is not.
void Group::record_request(Envelope& envelope, OwnedShard& shard, Decided& decided,
                           const std::string& mark) {
  Outcome& outcome = decided.outcome;
  try {
    ShardState state(transaction_, shard.cache, shard.id.value, shard_count_);
    const Timestamp now = tick(shard);
    RequestRecorded row =
        recorded_request({envelope, outcome.reply, decided.events, outcome.replayed, now},
                         std::move(*envelope.request), state);
    row.number = state.audit_head().number + 1;
    row.previous = state.audit_head().digest;
    decided.events.push_back(append(envelope, state, std::move(row), mark, now));
    const auto at = decided.events.back().at;
    if (outcome.replayed) {
      outcome.row = at;
    } else {
      outcome.position = at;
    }
    outcome.recorded = true;
  } catch (const eventstore::LogCorrupted&) {
    throw;
  } catch (const eventstore::LogUnavailable&) {
    throw;
  } catch (const std::exception& error) {
    // No row, no effect.
    transaction_.rollback();
    shard.cache.clear();
    on_failure_(envelope, error.what());
    decided.events.clear();
    outcome = {decision_failed(), eventstore::Position{shard.id, transaction_.end(shard.id)},
               false};
  }
}

void Group::refuse(DomainError error) {
  decided_.push_back({{}, {std::move(error), std::nullopt, false}, {}});
}

// A command that meets a bug or a state value it can't read fails alone; a log that can't be read
// is everybody's matter.
Result<Group::Recorded> Group::decide_contained(const Envelope& envelope, OwnedShard& shard,
                                                bool& replayed) {
  try {
    return decide(envelope, shard, replayed);
  } catch (const eventstore::LogCorrupted&) {
    throw;
  } catch (const eventstore::LogUnavailable&) {
    throw;
  } catch (const std::exception& error) {
    shard.cache.clear();
    on_failure_(envelope, error.what());
    return decision_failed();
  }
}

Result<Group::Recorded> Group::decide(const Envelope& envelope, OwnedShard& shard, bool& replayed) {
  ShardState state(transaction_, shard.cache, shard.id.value, shard_count_);
  const Timestamp now = tick(shard);
  const Context context{envelope.actor, envelope.role, now};
  if (envelope.idempotency) {
    if (auto row = remembered(state, envelope.actor, envelope.idempotency->key, now)) {
      replayed = true;
      return replay(envelope, *row, state, shard, now);
    }
  }
  const Handling handling{state, context, options_};
  BOOST_OUTCOME_TRY(auto handled, std::visit([&](const auto& c) { return handle(handling, c); },
                                             envelope.command));
  Recorded recorded{{shard.id, transaction_.end(shard.id)}, {}, {}, {}};
  if (!handled.events.empty()) {
    recorded.events = record(envelope, state, handled, now);
    recorded.position = recorded.events.back().at;
  }
  if (envelope.request && !handled.ready_reply) recorded.mark = mark_of(envelope, handled.reply);
  recorded.reply =
      handled.ready_reply ? std::move(*handled.ready_reply) : make_reply(state, handled.reply, now);
  return recorded;
}

Result<Group::Recorded> Group::replay(const Envelope& envelope, const IdempotencyRow& row,
                                      ShardState& state, OwnedShard& shard, Timestamp now) {
  if (row.request_hash != envelope.idempotency->request_hash) {
    return DomainError{DomainError::Kind::invalid,
                       "IDEMPOTENCY_KEY_REUSED",
                       "This idempotency key was used for another request.",
                       {},
                       {},
                       0};
  }
  BOOST_OUTCOME_TRY(may_be_shown_again(state, row.reply, {envelope.actor, envelope.role, now}));
  const eventstore::Offset offset{static_cast<std::uint64_t>(row.offset)};
  return Recorded{{shard.id, offset}, make_reply(state, row.reply, now), {}, {}};
}

std::vector<CommittedEvent> Group::record(const Envelope& envelope, ShardState& state,
                                          Handled& handled, Timestamp now) {
  std::vector<CommittedEvent> recorded;
  recorded.reserve(handled.events.size() + 1);  // the request's row follows
  const std::string mark = envelope.request ? "" : mark_of(envelope, handled.reply);
  for (Event& event : handled.events) {
    const bool is_last = &event == &handled.events.back();
    recorded.push_back(append(envelope, state, std::move(event), is_last ? mark : "", now));
  }
  return recorded;
}

CommittedEvent Group::append(const Envelope& envelope, ShardState& state, Event event,
                             const std::string& mark, Timestamp now) {
  codec::canonicalise(event);
  auto encoded = codec::encode_event(event);
  const auto shard = transaction_.current_shard();
  eventstore::NewRecord record;
  record.headers = {.id = eventstore::record_id({shard, transaction_.end(shard).next()}),
                    .type = std::string(encoded.type),
                    .schema_version = encoded.version,
                    .subject = std::move(encoded.subject),
                    .time_ms = now.ms,
                    .actor = std::to_string(envelope.actor.value),
                    .request_id = envelope.request_id,
                    .causation_id = envelope.causation_id,
                    .traceparent = envelope.traceparent,
                    .idempotency = mark};
  const std::size_t bytes = encoded.data.size();
  const auto number = static_cast<std::int64_t>(transaction_.end(shard).next().value);
  fold_format(state, number);
  fold(state, event, {envelope.actor, now});
  fold_audit(state, event, encoded.data);
  fold_idempotency(state, mark, now, number);
  record.data = std::move(encoded.data);
  const auto offset = transaction_.append(shard, std::move(record));
  return {{shard, offset}, bytes, std::move(event)};
}

}  // namespace annolog::commands
