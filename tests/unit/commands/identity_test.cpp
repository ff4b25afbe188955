// What the directory keeps of people beside their own states: addresses, invitations, accounts of a
// provider.
#include <gmock/gmock.h>

#include "tests/unit/commands/support/service.hpp"

namespace annolog::testing::identity_test {
namespace {

using commands::SessionReply;
using commands::UserReply;
using ::testing::ElementsAre;

constexpr std::int64_t kLifeMs = 1000;

CreateUser person(const std::string& name, std::optional<std::string> email) {
  CreateUser wish;
  wish.role = Role::annotator;
  wish.username = {"key of " + name, "sealed"};
  wish.username_digest = name;
  wish.email_digest = std::move(email);
  return wish;
}

Invite invitation(const std::string& email, const std::string& token) {
  return {{"key of " + token, "sealed"}, email, Role::viewer, std::nullopt, token, 100};
}

AcceptInvitation acceptance(const std::string& email, const std::string& token) {
  const Sealed sealed{"key of " + token, "sealed"};
  return {token, sealed, sealed, sealed, email};
}

SignInByOidc by_provider(const std::string& subject, std::optional<std::string> email) {
  return {subject, std::move(email), {"digest", kLifeMs}};
}

struct Scene {
  Service service;

  UserState make(const Command& wish) { return service.must<UserReply>(wish, kSystem).user; }
  std::vector<std::string> erase(UserId id) { return make(EraseUser{id, "asked"}).erased_keys; }
  std::string refusal(const Command& wish) {
    const Outcome outcome = service.call(wish, kSystem);
    return outcome.reply ? "" : outcome.reply.error().code;
  }
};

TEST(Identity, an_erasure_leaves_the_key_of_who_has_the_address_now) {
  Scene scene;
  const UserId before = scene.make(person("ada", "mail")).id;
  scene.make(DeactivateUser{before});
  scene.service.must<InvitationState>(invitation("mail", "old"), kSystem);
  scene.service.must<InvitationState>(invitation("mail", "new"), kSystem);
  const UserId after = scene.make(acceptance("mail", "new")).id;
  EXPECT_THAT(scene.erase(before), ElementsAre("key of ada", "key of old"));
  EXPECT_THAT(scene.erase(after), ElementsAre("key of new"));
  scene.service.expect_refold_gives_the_same();
}

TEST(Identity, an_erasure_revokes_invitations_whose_address_it_takes) {
  Scene scene;
  const auto sent = scene.service.must<InvitationState>(invitation("mail", "token"), kSystem).id;
  const UserId user = scene.make(person("ada", "mail")).id;
  EXPECT_THAT(scene.erase(user), ElementsAre("key of ada", "key of token"));
  EXPECT_EQ(scene.refusal(RevokeInvitation{sent}), "INVITATION_NOT_PENDING");
  EXPECT_EQ(scene.refusal(acceptance("mail", "token")), "INVITATION_GONE");
}

TEST(Identity, nobody_is_invited_whose_address_is_a_username) {
  Scene scene;
  scene.make(DeactivateUser{scene.make(person("mail", "mail")).id});
  EXPECT_EQ(scene.refusal(invitation("mail", "token")), "EMAIL_TAKEN");
}

TEST(Identity, a_providers_account_is_found_by_its_subject_then_by_the_address) {
  Scene scene;
  const UserId ada = scene.make(person("ada", "mail")).id;
  const auto sign_in = [&](const SignInByOidc& wish) {
    return scene.service.must<SessionReply>(wish, kSystem).user.id;
  };
  EXPECT_EQ(scene.refusal(by_provider("subject", std::nullopt)), "OIDC_NO_ACCOUNT");
  EXPECT_EQ(sign_in(by_provider("subject", "mail")), ada);
  EXPECT_EQ(sign_in(by_provider("subject", "another mail")), ada);
  EXPECT_EQ(scene.refusal(by_provider("other", "mail")), "OIDC_OTHER_ACCOUNT");
  scene.make(UnlinkOidc{ada});
  EXPECT_EQ(scene.refusal(by_provider("subject", std::nullopt)), "OIDC_NO_ACCOUNT");
  EXPECT_EQ(sign_in(by_provider("other", "mail")), ada);
  scene.service.expect_refold_gives_the_same();
  scene.erase(ada);
  EXPECT_EQ(scene.refusal(by_provider("other", "mail")), "OIDC_NO_ACCOUNT");
  scene.service.expect_refold_gives_the_same();
}

}  // namespace
}  // namespace annolog::testing::identity_test
