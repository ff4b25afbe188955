// The fold: what a record does to the shard's state. The live path and the refold after a restart
// are this one function, so that both give the same bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "commands/reply.hpp"
#include "commands/state/shard_state.hpp"
#include "domain/events.hpp"

namespace annolog::commands {

// Raised whenever a state struct, a key or the fold changes: older state is folded again.
inline constexpr std::int64_t kStateFormat = 12;

// What a command remembers for its idempotency key; travels in its last record's headers.
struct IdempotencyMark {
  std::int64_t caller = 0;
  std::string key;
  std::string request_hash;
  ReplyRef reply;
  bool operator==(const IdempotencyMark&) const = default;
};
BOOST_DESCRIBE_STRUCT(IdempotencyMark, (), (caller, key, request_hash, reply))

struct IdempotencyRow {
  std::string request_hash;
  ReplyRef reply;
  Timestamp at;
  std::int64_t offset = 0;  // of the command's last record
};
BOOST_DESCRIBE_STRUCT(IdempotencyRow, (), (request_hash, reply, at, offset))

// Keeps the cost of a command bounded: so many outlived rows go with it.
inline constexpr std::size_t kMaxForgottenAtOnce = 4;
inline constexpr std::int64_t kIdempotencyMs = 24LL * 60 * 60 * 1000;  // decisions, section 1

// Of every record; only those of requests move the head.
void fold_audit(ShardState& state, const Event& event, std::string_view data);

void fold(ShardState& state, const Event& event, const Happened& how);
// When the task's live lock was taken, which its renewals don't change; nullopt without one.
std::optional<Timestamp> held_since(const ShardState& state, const TaskState& task, Timestamp now);
// Marks the state's format; call it with every record.
void fold_format(ShardState& state, std::int64_t offset);
// `mark` is the header's text, empty for none.
void fold_idempotency(ShardState& state, const std::string& mark, Timestamp at,
                      std::int64_t offset);

std::optional<IdempotencyRow> remembered(const ShardState& state, UserId caller,
                                         const std::string& key, Timestamp now);

}  // namespace annolog::commands
