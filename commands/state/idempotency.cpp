// What retries find: one row a key, kept 24 hours by the records' own time, so that folding the
// log again forgets exactly what the live path forgot.
#include "commands/state/fold.hpp"
#include "domain/codec/json/json_reader.hpp"

namespace annolog::commands {
namespace {

Key row_key(std::int64_t caller, const std::string& key) {
  return Key(Table::idempotency).number(caller).text(key);
}

void forget_old(ShardState& state, Timestamp now) {
  std::vector<std::string> old;
  const Key end = Key(Table::idempotency_age).number(now.ms - kIdempotencyMs);
  state.store().scan(Key(Table::idempotency_age).bytes(), {},
                     [&](std::string_view key, std::string_view) {
                       if (key >= end.bytes()) return false;
                       old.emplace_back(key);
                       return old.size() < kMaxForgottenAtOnce;
                     });
  for (const auto& key : old) {
    // table byte, 8 bytes of time, then caller and key as in the row's own key
    const Key row = Key(Table::idempotency).text(std::string_view(key).substr(9));
    const auto kept = state.find<IdempotencyRow>(row);
    const bool used_again = kept && now - kept->at <= kIdempotencyMs;
    if (!used_again) state.erase(row.bytes());
    state.erase(key);
  }
}

}  // namespace

void fold_idempotency(ShardState& state, const std::string& mark_text, Timestamp at,
                      std::int64_t offset) {
  if (mark_text.empty()) return;
  const auto mark = codec::from_json_text<IdempotencyMark>(mark_text);
  forget_old(state, at);
  state.put(row_key(mark.caller, mark.key),
            IdempotencyRow{mark.request_hash, mark.reply, at, offset});
  state.put_mark(
      Key(Table::idempotency_age).number(at.ms).number(mark.caller).text(mark.key).take());
}

std::optional<IdempotencyRow> remembered(const ShardState& state, UserId caller,
                                         const std::string& key, Timestamp now) {
  auto row = state.find<IdempotencyRow>(row_key(caller.value, key));
  if (row && now - row->at > kIdempotencyMs) return std::nullopt;
  return row;
}

}  // namespace annolog::commands
