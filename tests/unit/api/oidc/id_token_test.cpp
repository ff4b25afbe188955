#include "api/oidc/id_token.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "tests/unit/api/oidc/issued_tokens.hpp"

namespace annolog::api::oidc::id_token_test {
namespace {

using Json = nlohmann::json;

TEST(IdToken, tells_who_signed_in) {
  const KeySet keys = key_set({published_rsa(), published_ec()});
  const IdTokenClaims anna{"person-1", "a@b.org", true, "Anna", "anna"};
  const std::string ps256 = rsa_key().sign(header({{"alg", "PS256"}}), body().dump());
  for (const std::string& token : {good_rsa(), good_ec(), ps256}) {
    const auto result = verify_id_token(token, keys, kExpected);
    ASSERT_TRUE(result) << token;
    EXPECT_EQ(result.value(), anna);
  }
}

TEST(IdToken, what_is_not_told_or_told_strangely_is_left_out) {
  const std::pair<Json, IdTokenClaims> rows[] = {
      {{{"email", nullptr}, {"name", nullptr}, {"preferred_username", nullptr}},
       {"person-1", {}, false, {}, {}}},
      {{{"email", 7}, {"name", Json::array()}, {"preferred_username", true}},
       {"person-1", {}, false, {}, {}}},
      {{{"email_verified", "true"}}, {"person-1", "a@b.org", true, "Anna", "anna"}},
      {{{"email_verified", "yes"}}, {"person-1", "a@b.org", false, "Anna", "anna"}},
      {{{"email_verified", 1}}, {"person-1", "a@b.org", false, "Anna", "anna"}},
      {{{"email_verified", nullptr}}, {"person-1", "a@b.org", false, "Anna", "anna"}},
      {{{"sub", std::string(255, 'x')}}, {std::string(255, 'x'), "a@b.org", true, "Anna", "anna"}},
  };
  const KeySet keys = key_set({published_rsa()});
  for (const auto& [changes, claims] : rows) {
    const auto result = verify_id_token(good_rsa(body(changes)), keys, kExpected);
    ASSERT_TRUE(result) << changes;
    EXPECT_EQ(result.value(), claims) << changes;
  }
}

TEST(IdToken, claims_of_another_sign_in_are_refused) {
  const Json many = Json::array({"annolog", "other"});
  const std::pair<Json, std::string> rows[] = {
      {{{"iss", "https://id.example/realm/"}}, "wrong_issuer"},
      {{{"iss", "https://id.example/Realm"}}, "wrong_issuer"},
      {{{"iss", "https://evil.example"}}, "wrong_issuer"},
      {{{"iss", ""}}, "wrong_issuer"},
      {{{"iss", Json::array({kIssuer})}}, "bad_claims"},
      {{{"iss", nullptr}}, "bad_claims"},
      {{{"aud", "other"}}, "wrong_audience"},
      {{{"aud", "annolog2"}}, "wrong_audience"},
      {{{"aud", ""}}, "wrong_audience"},
      {{{"aud", Json::array()}}, "wrong_audience"},
      {{{"aud", Json::array({"annolog"})}}, "ok"},
      {{{"aud", many}}, "wrong_audience"},
      {{{"aud", many}, {"azp", "other"}}, "wrong_audience"},
      {{{"aud", many}, {"azp", "annolog"}}, "ok"},
      {{{"aud", Json::array({"other", "third"})}, {"azp", "annolog"}}, "wrong_audience"},
      {{{"aud", Json::array({"annolog", 7})}, {"azp", "annolog"}}, "bad_claims"},
      {{{"aud", Json{{"annolog", true}}}}, "bad_claims"},
      {{{"aud", 7}}, "bad_claims"},
      {{{"aud", nullptr}}, "bad_claims"},
      {{{"azp", "annolog"}}, "ok"},
      {{{"azp", "other"}}, "wrong_audience"},
      {{{"azp", 7}}, "bad_claims"},
      {{{"nonce", "n-0S6_WzA2Mk"}}, "wrong_nonce"},
      {{{"nonce", ""}}, "wrong_nonce"},
      {{{"nonce", 7}}, "bad_claims"},
      {{{"nonce", nullptr}}, "bad_claims"},
      {{{"sub", ""}}, "bad_claims"},
      {{{"sub", std::string(256, 'x')}}, "bad_claims"},
      {{{"sub", 7}}, "bad_claims"},
      {{{"sub", nullptr}}, "bad_claims"},
      {{{"unknown", "claims"}, {"at_hash", "x"}}, "ok"},
  };
  for (const auto& [changes, expected] : rows) {
    EXPECT_EQ(outcome(good_rsa(body(changes))), expected) << changes;
  }
}

TEST(IdToken, no_token_fits_a_sign_in_without_a_nonce) {
  const auto result = verify_id_token(good_rsa(body({{"nonce", ""}})), key_set({published_rsa()}),
                                      {kIssuer, "annolog", "", kNow});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), IdTokenError::wrong_nonce);
}

TEST(IdToken, is_taken_within_its_time_alone) {
  const std::pair<Json, std::string> rows[] = {
      {{{"exp", kNowS - 59}}, "ok"},
      {{{"exp", kNowS - 60}}, "expired"},
      {{{"exp", kNowS - 59.5}}, "ok"},
      {{{"exp", 0}}, "expired"},
      {{{"exp", -1}}, "bad_claims"},
      {{{"exp", 1e300}}, "bad_claims"},
      {{{"exp", std::uint64_t{1} << 63}}, "bad_claims"},
      {{{"exp", "1750000300"}}, "bad_claims"},
      {{{"exp", true}}, "bad_claims"},
      {{{"exp", nullptr}}, "bad_claims"},
      {{{"iat", kNowS + 60}}, "ok"},
      {{{"iat", kNowS + 61}}, "from_future"},
      {{{"iat", kNowS - 600}}, "ok"},
      {{{"iat", kNowS - 601}}, "too_old"},
      {{{"iat", kNowS - 1.25}}, "ok"},
      {{{"iat", -1}}, "bad_claims"},
      {{{"iat", Json::array()}}, "bad_claims"},
      {{{"iat", nullptr}}, "bad_claims"},
      {{{"nbf", kNowS + 60}}, "ok"},
      {{{"nbf", kNowS + 61}}, "from_future"},
      {{{"nbf", 0}}, "ok"},
      {{{"nbf", "x"}}, "bad_claims"},
  };
  for (const auto& [changes, expected] : rows) {
    EXPECT_EQ(outcome(good_rsa(body(changes))), expected) << changes;
  }
  EXPECT_EQ(outcome(good_rsa(), kNow + 359'999), "ok");
  EXPECT_EQ(outcome(good_rsa(), kNow + 360'000), "expired");
}

TEST(IdToken, a_signed_payload_that_is_no_object_is_refused) {
  for (const char* payload : {"[]", "null", "\"x\"", "{", "{}x", "", "{\"sub\":1,\"sub\":2}"}) {
    EXPECT_EQ(outcome(rsa_key().sign(header(), payload)), "malformed") << payload;
  }
  EXPECT_EQ(outcome(rsa_key().sign(header(), "{}")), "bad_claims");
}

TEST(IdToken, a_huge_one_is_refused_unread) {
  const std::string most = good_rsa(body({{"groups", std::string(11'000, 'g')}}));
  ASSERT_LT(most.size(), kMaxIdTokenBytes);
  EXPECT_EQ(outcome(most), "ok");
  EXPECT_EQ(outcome(good_rsa(body({{"groups", std::string(13'000, 'g')}}))), "too_large");
  EXPECT_EQ(outcome(std::string(kMaxIdTokenBytes + 1, 'a')), "too_large");
  EXPECT_EQ(outcome(std::string(kMaxIdTokenBytes, '.')), "malformed");
  for (const char* text : {"", ".", "..", "...", "a.b", "a.b.c.d.e"}) {
    EXPECT_EQ(outcome(text), "malformed") << text;
  }
}

}  // namespace
}  // namespace annolog::api::oidc::id_token_test
