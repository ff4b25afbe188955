// API keys: made by anybody for itself, void once revoked.
#include "domain/api_key/commands.hpp"

#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::api_key_test {
namespace {

constexpr ApiKeyId kKey{50};
constexpr std::int64_t kDayMs = 24LL * 3600 * 1000;

CreateApiKey wish(std::optional<std::int64_t> days = std::nullopt) {
  return {"ci", "abcdefgh", "digest", days};
}

Outcome create(const CreateApiKey& command, const NewApiKeyCase& on = {kKey, 0, false}) {
  return Outcome(decide(on, command, as(kViewer)));
}

ApiKeyState key() {
  return born(ApiKeyCreated{kKey, kViewer, "ci", "abcdefgh", "digest", std::nullopt},
              {kViewer, kNow});
}

TEST(ApiKeys, are_made_for_the_caller) {
  create(wish()).then({ApiKeyCreated{kKey, kViewer, "ci", "abcdefgh", "digest", std::nullopt}});
  create(wish(365)).then(
      {ApiKeyCreated{kKey, kViewer, "ci", "abcdefgh", "digest", kNow + 365 * kDayMs}});
}

TEST(ApiKeys, need_a_name_and_days_within_a_year) {
  CreateApiKey bad = wish(366);
  bad.name = "";
  create(bad).then_invalid({"length", "out_of_range"});
  create(wish(0)).then_invalid({"out_of_range"});
}

TEST(ApiKeys, an_owner_has_so_many_at_most) {
  create(wish(), {kKey, kMaxLiveKeys - 1, false})
      .then({ApiKeyCreated{kKey, kViewer, "ci", "abcdefgh", "digest", std::nullopt}});
  create(wish(), {kKey, kMaxLiveKeys, false}).then_fails("API_KEY_LIMIT_REACHED");
  create(wish(), {kKey, 0, true}).then_fails("API_KEY_PREFIX_TAKEN");
}

TEST(ApiKeys, are_revoked_by_their_owner_or_a_super_admin) {
  const RevokeApiKey command{kKey};
  Outcome(decide(key(), command, as(kViewer))).then({ApiKeyRevoked{kKey, kViewer}});
  Outcome(decide(key(), command, as(kRoot))).then({ApiKeyRevoked{kKey, kViewer}});
  Outcome(decide(key(), command, as(kAdmin))).then_fails("NOT_FOUND");
  Outcome(decide(ApiKeyState{}, command, as(kRoot))).then_fails("NOT_FOUND");
  ApiKeyState revoked = key();
  evolve(revoked, ApiKeyRevoked{kKey, kViewer}, {kViewer, kNow});
  Outcome(decide(revoked, command, as(kViewer))).then_nothing();
}

TEST(ApiKeys, use_is_noted_once_a_minute) {
  const NoteApiKeyUse command{kKey};
  ApiKeyState used = key();
  Outcome(decide(used, command, as(kSystemUser))).then({ApiKeyUsed{kKey, kViewer}});
  evolve(used, ApiKeyUsed{kKey, kViewer}, {kSystemUser, kNow});
  Outcome(decide(used, command, as(kSystemUser, kNow + 59'999))).then_nothing();
  Outcome(decide(used, command, as(kSystemUser, kNow + 60'000))).then({ApiKeyUsed{kKey, kViewer}});
  evolve(used, ApiKeyRevoked{kKey, kViewer}, {kViewer, kNow});
  Outcome(decide(used, command, as(kSystemUser, kNow + 120'000))).then_nothing();
}

}  // namespace
}  // namespace annolog::testing::api_key_test
