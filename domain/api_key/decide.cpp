#include "domain/api_key/commands.hpp"
#include "domain/identity/refusals.hpp"
#include "domain/support/length.hpp"

namespace annolog {
namespace {

constexpr std::int64_t kDayMs = 24LL * 3600 * 1000;
constexpr std::size_t kMaxKeyName = 100;

Result<void> check(const CreateApiKey& command) {
  std::vector<FieldError> errors;
  check_length(command.name, 1, kMaxKeyName, "name", errors);
  const auto days = command.expires_in_days.value_or(1);
  if (days < 1 || days > kMaxKeyDays)
    errors.push_back({{"expires_in_days"}, "Must be 1 to 365.", "out_of_range"});
  if (!errors.empty()) return validation_error(std::move(errors));
  return success();
}

}  // namespace

Result<Events> decide(const NewApiKeyCase& on, const CreateApiKey& command,
                      const Context& context) {
  BOOST_OUTCOME_TRY(check(command));
  if (on.live_keys >= kMaxLiveKeys)
    return conflict("API_KEY_LIMIT_REACHED", "Revoke a key that is no longer needed first.",
                    {{"limit", kMaxLiveKeys}});
  if (on.prefix_taken) return conflict("API_KEY_PREFIX_TAKEN", "Try again.");
  std::optional<Timestamp> expires_at;
  if (command.expires_in_days) expires_at = context.now + *command.expires_in_days * kDayMs;
  return Events{ApiKeyCreated{on.next_id, context.actor, command.name, command.prefix,
                              command.secret_digest, expires_at}};
}

Result<Events> decide(const ApiKeyState& key, const RevokeApiKey& command, const Context& context) {
  const bool may = key.owner_id == context.actor || may_globally(context.role, Action::govern);
  if (!key.id || !may) return not_found("API key");
  if (key.revoked_at) return Events{};
  return Events{ApiKeyRevoked{command.key_id, key.owner_id}};
}

Result<Events> decide(const ApiKeyState& key, const NoteApiKeyUse& command,
                      const Context& context) {
  const bool noted = key.last_used_at && context.now - *key.last_used_at < kKeyUseStepMs;
  if (!key.id || key.revoked_at || noted) return Events{};
  return Events{ApiKeyUsed{command.key_id, key.owner_id}};
}

ApiKeyState born(const ApiKeyCreated& event, const Happened& how) {
  ApiKeyState state;
  state.id = event.key_id;
  state.owner_id = event.owner_id;
  state.name = event.name;
  state.prefix = event.prefix;
  state.created_at = how.at;
  state.expires_at = event.expires_at;
  return state;
}

void evolve(ApiKeyState& state, const ApiKeyRevoked& /*event*/, const Happened& how) {
  state.revoked_at = how.at;
}

void evolve(ApiKeyState& state, const ApiKeyUsed& /*event*/, const Happened& how) {
  state.last_used_at = how.at;
}

}  // namespace annolog
