#include "commands/group.hpp"

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

DomainError overloaded() {
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

void Group::add(Envelope envelope, OwnedShard& shard) {
  if (envelope.deadline_ms != 0 && clock_.monotonic_ms() > envelope.deadline_ms) {
    decided_.push_back({std::move(envelope.done), {too_late(), std::nullopt, false}, {}});
    return;
  }
  transaction_.in(shard.id);
  transaction_.savepoint();
  bool replayed = false;
  auto result = decide_contained(envelope, shard, replayed);
  if (!result) {
    // Refusals come before anything is recorded, so what the shard's cache holds is still true.
    transaction_.rollback();
    decided_.push_back({std::move(envelope.done),
                        {std::move(result).error(),
                         eventstore::Position{shard.id, transaction_.end(shard.id)}, false},
                        {}});
    return;
  }
  auto& recorded = result.value();
  decided_.push_back({std::move(envelope.done),
                      {std::move(recorded.reply), recorded.position, replayed},
                      std::move(recorded.events)});
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
  Recorded recorded{{shard.id, transaction_.end(shard.id)}, {}, {}};
  if (!handled.events.empty()) {
    recorded.events = record(envelope, shard, state, handled, now);
    recorded.position = recorded.events.back().at;
  }
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
  return Recorded{{shard.id, offset}, make_reply(state, row.reply, now), {}};
}

std::vector<CommittedEvent> Group::record(const Envelope& envelope, OwnedShard& shard,
                                          ShardState& state, Handled& handled, Timestamp now) {
  const Happened how{envelope.actor, now};
  std::vector<CommittedEvent> recorded;
  recorded.reserve(handled.events.size());
  const auto last = handled.events.size() - 1;
  for (std::size_t i = 0; i <= last; ++i) {
    Event& event = handled.events[i];
    codec::canonicalise(event);
    auto encoded = codec::encode_event(event);
    const std::size_t bytes = encoded.data.size();
    const eventstore::Position next{shard.id, transaction_.end(shard.id).next()};
    eventstore::NewRecord record;
    record.headers = {.id = eventstore::record_id(next),
                      .type = std::string(encoded.type),
                      .schema_version = encoded.version,
                      .subject = std::move(encoded.subject),
                      .time_ms = now.ms,
                      .actor = std::to_string(envelope.actor.value),
                      .request_id = envelope.request_id,
                      .causation_id = envelope.causation_id,
                      .traceparent = envelope.traceparent,
                      .idempotency = i == last ? mark_of(envelope, handled.reply) : ""};
    record.data = std::move(encoded.data);
    const std::string mark = record.headers.idempotency;
    const auto offset = transaction_.append(shard.id, std::move(record));
    const auto number = static_cast<std::int64_t>(offset.value);
    fold_format(state, number);
    fold(state, event, how);
    fold_idempotency(state, mark, now, number);
    recorded.push_back({{shard.id, offset}, bytes, std::move(event)});
  }
  transaction_.end_command(shard.id);
  return recorded;
}

}  // namespace annolog::commands
