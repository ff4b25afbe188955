#include "commands/kafka/kafka_writer.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "commands/runtime.hpp"
#include "domain/codec/json/codec_error.hpp"
#include "platform/prompt_thread.hpp"

namespace annolog::commands {
namespace {

namespace kafka = eventstore::kafka;
using eventstore::CommitOutcome;
using eventstore::ShardId;

constexpr std::size_t kGroupBytesMax = 8U << 20U;
constexpr std::chrono::milliseconds kPause{50};
constexpr std::chrono::milliseconds kTakeOverTime{15'000};
// A group that takes longer is refused by Kafka once the shard has moved.
constexpr std::chrono::milliseconds kLongestGroup{15'000};

std::vector<ShardId> shards_of(const std::vector<WaitingCommand>& commands) {
  std::set<ShardId> shards;
  for (const auto& command : commands) shards.insert(command.shard);
  return {shards.begin(), shards.end()};
}

DomainError not_understood(const char* what) {
  return {DomainError::Kind::unavailable,
          "COMMAND_NOT_UNDERSTOOD",
          std::string("The node that owns this project runs another version; try again (") + what +
              ").",
          {},
          {},
          5};
}

}  // namespace

// One try at a group: what was decided, in the order of the commands.
struct KafkaWriter::Attempt {
  std::unique_ptr<eventstore::Transaction> transaction;
  std::vector<ReturnAddress> from;
  std::vector<Decided> decided;
  // Own commands that were refused and have a key: an earlier try may lie in the topic still, and
  // the refusal must not be told before it. By their places in `decided`.
  std::map<std::size_t, ReceivedCommand> refused;
  eventstore::CommandsDone done;
};

void KafkaWriter::start() {
  thread_ = platform::prompt_thread("writer", [this] { run(); });
}

void KafkaWriter::stop() {
  queue_.close();
  if (thread_.joinable()) thread_.join();
  send_on(queue_.take_all());
}

void KafkaWriter::forget(ShardId shard, bool wait) {
  send_on(queue_.take_out(shard));
  if (wait) queue_.wait_until_done(shard, kLongestGroup);
}

void KafkaWriter::send_on(Taken dropped) {
  for (WaitingCommand& command : dropped)
    if (command.own) context_.own_callers.send_on(*command.own);
}

void KafkaWriter::give_up_own(Taken& taken, std::size_t tried) {
  const auto end = taken.begin() + static_cast<std::ptrdiff_t>(tried);
  for (auto each = taken.begin(); each != end; ++each)
    if (each->own) context_.own_callers.unknown(each->own->from.command_id);
  taken.erase(std::remove_if(taken.begin(), end,
                             [](const auto& command) { return command.own.has_value(); }),
              end);
}

void KafkaWriter::run() {
  for (Taken taken = queue_.next_group(); !taken.empty(); taken = queue_.next_group())
    process(std::move(taken));
}

void KafkaWriter::drop_foreign(Taken& taken) {
  send_on(take_commands(taken, [&](const WaitingCommand& command) {
    const Holding holding = context_.table[command.shard].holding;
    return holding.tenure == Tenure::followed || holding.number != command.tenure;
  }));
}

void KafkaWriter::process(Taken taken) {
  bool settled = true;  // whether it is known what of it was committed
  for (;;) {
    drop_foreign(taken);
    // Those in no topic are never among what is not settled: give_up_own().
    if (taken.empty() || queue_.is_closed()) return send_on(std::move(taken));
    std::size_t tried = 0;
    try {
      if (!make_ready(taken) || (!settled && !drop_committed(taken))) {
        queue_.wait_until_closed(kPause);
        continue;
      }
      settled = true;
      settled = step(taken, tried);
    } catch (const std::exception& error) {
      // The commands wait until the log can be read again, or the shards go to another node.
      context_.logger.error("a group of commands failed", {{"error", error.what()}});
      distrust(taken);
      give_up_own(taken, tried);
      settled = false;
      queue_.wait_until_closed(kPause);
    }
  }
}

// One try; false when it is not known what came of it.
bool KafkaWriter::step(Taken& taken, std::size_t& tried) {
  switch (attempt(taken, tried)) {
    case CommitOutcome::ok: return true;
    case CommitOutcome::not_owner:
      // The group has moved on: with these shards, which its next word to this process tells, or
      // with others only. Nothing was written, by nobody else either as long as they stay.
      context_.metrics.fenced.add();
      forget_cached(taken);
      queue_.wait_until_closed(kPause);
      return true;
    case CommitOutcome::outcome_unknown:
      // First nothing goes by these shards any more, so that who is told and tries again finds them
      // taken over anew.
      context_.metrics.unknown.add();
      distrust(taken);
      give_up_own(taken, tried);
      return false;
    default:
      context_.metrics.aborted.add();
      distrust(taken);
      queue_.wait_until_closed(kPause);
      return true;
  }
}

bool KafkaWriter::drop_committed(Taken& taken) {
  try {
    for (const auto& [partition, next] :
         context_.group.committed(shards_of(taken), kafka::after(kTakeOverTime)))
      std::erase_if(taken, [&](const WaitingCommand& command) {
        if (command.own || command.shard.value != partition || command.kafka_offset >= next)
          return false;
        // Others have their reply; for its own there is none.
        const ReturnAddress from = return_address(*command.message);
        if (from.node == context_.node) context_.own_callers.unknown(from.command_id);
        return true;
      });
    return true;
  } catch (const eventstore::LogUnavailable& error) {
    context_.logger.warn("what was committed is not known yet", {{"error", error.what()}});
    return false;
  }
}

// What commands of a group that came to nothing have left in memory.
void KafkaWriter::forget_cached(const Taken& taken) {
  for (const ShardId shard : shards_of(taken)) context_.table[shard].owned.cache.clear();
}

// The shards are taken over again.
void KafkaWriter::distrust(const Taken& taken) {
  forget_cached(taken);
  for (const ShardId shard : shards_of(taken)) {
    ShardSlot& slot = context_.table[shard];
    slot.advance(slot.holding.load().number, Tenure::owned, Tenure::assigned);
  }
}

bool KafkaWriter::make_ready(const Taken& taken) {
  std::vector<ShardId> shards;
  std::vector<std::uint32_t> numbers;  // as they were before the first look at the log
  for (const ShardId shard : shards_of(taken)) {
    const Holding holding = context_.table[shard].holding;
    if (holding.tenure != Tenure::assigned) continue;
    shards.push_back(shard);
    numbers.push_back(holding.number);
  }
  if (shards.empty()) return true;
  const auto began_ms = context_.clock.monotonic_ms();
  try {
    context_.log.take_over(shards, kafka::after(kTakeOverTime));
    for (const auto& [partition, next] :
         context_.group.committed(shards, kafka::after(kTakeOverTime)))
      context_.table[ShardId(static_cast<std::uint16_t>(partition))].next_command = next;
    for (std::size_t i = 0; i < shards.size(); ++i)
      take_over(context_.table[shards[i]], numbers[i]);
  } catch (const eventstore::LogUnavailable& error) {
    context_.logger.warn("shards can't be taken over yet", {{"error", error.what()}});
    return false;
  }
  context_.metrics.take_over_seconds.observe(
      static_cast<double>(context_.clock.monotonic_ms() - began_ms) / 1000);
  return true;
}

// Nothing of an earlier writer can come any more: the state goes to the end.
void KafkaWriter::take_over(ShardSlot& slot, std::uint32_t number) {
  const ShardId shard = slot.owned.id;
  {
    const std::lock_guard guard(slot.folding);
    fold_to_end(context_.log, shard);
  }
  slot.owned.cache.clear();
  slot.owned.last_ms = last_time(context_.log, shard);
  if (slot.advance(number, Tenure::assigned, Tenure::owned) && context_.taken_over)
    context_.taken_over(shard);
}

bool KafkaWriter::is_owned(const WaitingCommand& command) const {
  const Holding holding = context_.table[command.shard].holding;
  return holding.tenure == Tenure::owned && holding.number == command.tenure;
}

// Takes what was committed out of `taken`.
CommitOutcome KafkaWriter::attempt(Taken& taken, std::size_t& tried) {
  Attempt attempt;
  // First the group's word, then the look at who owns what: a shard that is given away after it is
  // refused by Kafka, one that was given away before is seen here.
  const kafka::GroupMetadata group = context_.group.metadata();
  if (group == nullptr) return CommitOutcome::not_owner;
  for (const auto& command : taken)
    if (!is_owned(command)) return CommitOutcome::aborted;
  try {
    attempt.transaction = context_.log.begin(shards_of(taken));
  } catch (const std::logic_error& error) {
    // Somebody else's records, or a state that could not be written: look again.
    context_.logger.warn("a shard is not where its writer left it", {{"error", error.what()}});
    return CommitOutcome::aborted;
  }
  decide(taken, attempt);
  attempt.done.consumed.group = group.get();
  tried = attempt.from.size();
  const auto began_ms = context_.clock.monotonic_ms();
  const CommitOutcome outcome = context_.log.commit(*attempt.transaction, attempt.done);
  context_.metrics.commit_seconds.observe(
      static_cast<double>(context_.clock.monotonic_ms() - began_ms) / 1000);
  if (outcome == CommitOutcome::outcome_unknown) return outcome;
  tried = 0;
  if (outcome != CommitOutcome::ok) return outcome;
  for (const auto& [partition, next] : attempt.done.consumed.next)
    context_.table[ShardId(static_cast<std::uint16_t>(partition))].next_command = next;
  taken.erase(taken.begin(), taken.begin() + static_cast<std::ptrdiff_t>(attempt.from.size()));
  tell(attempt);
  return outcome;
}

void KafkaWriter::decide(const Taken& taken, Attempt& attempt) {
  const auto& topics = context_.log.topics();
  Group group(*attempt.transaction, context_.log.shard_count(), context_.clock,
              context_.handler_options, [this](const Envelope& envelope, const char* what) {
                context_.logger.error("a command failed", {{"request_id", envelope.request_id},
                                                           {"command", envelope.command.index()},
                                                           {"error", what}});
              });
  std::map<ShardId, std::int64_t> next;
  for (const WaitingCommand& waiting : taken) {
    if (attempt.transaction->bytes() >= kGroupBytesMax) break;
    // Of every shard, also without a command of the topic: by it Kafka refuses who has lost it.
    ShardSlot& slot = context_.table[waiting.shard];
    next.try_emplace(waiting.shard, slot.next_command);
    if (waiting.own) {
      attempt.from.push_back(waiting.own->from);
      // Its refusal is asked again through the topic, behind what may lie there.
      const bool is_asked_again = waiting.own->envelope.idempotency.has_value();
      group.add(waiting.own->envelope, slot.owned,
                is_asked_again ? Group::Refusal::is_passing : Group::Refusal::is_recorded);
      if (!group.decided().back().outcome.reply && waiting.own->envelope.idempotency)
        attempt.refused.emplace(attempt.from.size() - 1, *waiting.own);
      continue;
    }
    next[waiting.shard] = waiting.kafka_offset + 1;
    try {
      ReceivedCommand command = to_command(*waiting.message, context_.clock);
      attempt.from.push_back(std::move(command.from));
      group.add(std::move(command.envelope), slot.owned);
    } catch (const codec::CodecError& error) {
      attempt.from.push_back(return_address(*waiting.message));
      group.refuse(not_understood(error.what()));
    }
    const ReturnAddress& from = attempt.from.back();
    // One that is nowhere would keep the whole group from being committed, again and again.
    const bool can_answer = from.partition >= 0 && from.partition < context_.log.shard_count();
    if (from.node != context_.node && can_answer)
      attempt.done.replies.push_back(
          to_message(group.decided().back().outcome, from, topics.replies, context_.clock));
  }
  attempt.decided = std::move(group.decided());
  attempt.done.consumed.topic = topics.commands;
  for (const auto& [shard, offset] : next)
    attempt.done.consumed.next.push_back({shard.value, offset});
}

void KafkaWriter::tell(Attempt& attempt) {
  context_.metrics.commits.add();
  context_.metrics.commands.add(static_cast<double>(attempt.decided.size()));
  for (Decided& decided : attempt.decided)
    if (context_.observe) context_.observe(decided.events);
  for (const auto& [at, command] : attempt.refused) context_.own_callers.send_on(command);
  for (std::size_t i = 0; i < attempt.decided.size(); ++i)
    if (attempt.from[i].node == context_.node && !attempt.refused.contains(i))
      context_.own_callers.decided(attempt.from[i].command_id,
                                   std::move(attempt.decided[i].outcome));
}

}  // namespace annolog::commands
