// Secrets of webhooks and their signatures, against the example of Standard Webhooks.
#include "platform/webhook_secret.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "platform/encoding.hpp"
#include "platform/random.hpp"

namespace annolog::platform::webhook_secret_test {
namespace {

// whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw: HMAC pads a shorter key with zeros, as this does.
MacKey example_secret() {
  const auto bytes = from_base64url("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
  MacKey key{};
  std::copy(bytes->begin(), bytes->end(), key.begin());
  return key;
}

TEST(WebhookSignatures, are_those_of_standard_webhooks) {
  EXPECT_EQ(webhook_signature(example_secret(), "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330,
                              R"({"test": 2432232314})"),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST(WebhookSignatures, hold_for_one_id_time_body_and_secret) {
  const MacKey secret = random_key();
  const std::string signature = webhook_signature(secret, "dlv_1_2_3_0", 1'750'000'000, "{}");
  EXPECT_EQ(webhook_signature(secret, "dlv_1_2_3_0", 1'750'000'000, "{}"), signature);
  EXPECT_NE(webhook_signature(secret, "dlv_1_2_3_1", 1'750'000'000, "{}"), signature);
  EXPECT_NE(webhook_signature(secret, "dlv_1_2_3_0", 1'750'000'001, "{}"), signature);
  EXPECT_NE(webhook_signature(secret, "dlv_1_2_3_0", 1'750'000'000, "{ }"), signature);
  EXPECT_NE(webhook_signature(random_key(), "dlv_1_2_3_0", 1'750'000'000, "{}"), signature);
}

TEST(WebhookSecrets, follow_from_key_webhook_and_nonce) {
  const MacKey key = random_key();
  const MacKey secret = webhook_secret(key, WebhookId{7}, "nonce");
  EXPECT_EQ(webhook_secret(key, WebhookId{7}, "nonce"), secret);
  EXPECT_NE(webhook_secret(key, WebhookId{8}, "nonce"), secret);
  EXPECT_NE(webhook_secret(key, WebhookId{7}, "other"), secret);
  EXPECT_NE(webhook_secret(random_key(), WebhookId{7}, "nonce"), secret);
}

TEST(WebhookSecrets, are_told_in_base64_behind_their_prefix) {
  MacKey secret{};
  secret.fill(0xFB);
  EXPECT_EQ(webhook_secret_text(secret), "whsec_" + to_base64(as_bytes_view(secret)));
  EXPECT_EQ(webhook_secret_text(secret).size(), 6U + 44U);
}

}  // namespace
}  // namespace annolog::platform::webhook_secret_test
