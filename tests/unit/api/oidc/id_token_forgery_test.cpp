#include <gtest/gtest.h>

#include <utility>

#include "platform/encoding.hpp"
#include "tests/unit/api/oidc/issued_tokens.hpp"

namespace annolog::api::oidc::id_token_forgery_test {
namespace {

using Json = nlohmann::json;
using platform::to_base64url;

// No signature fits this header, or none is there.
std::string unsigned_token(const std::string& head, const std::string& signature) {
  return to_base64url(head) + "." + to_base64url(body().dump()) + "." + to_base64url(signature);
}
std::vector<std::string> parts_of(const std::string& token) {
  const std::size_t first = token.find('.');
  const std::size_t last = token.rfind('.');
  return {token.substr(0, first), token.substr(first + 1, last - first - 1),
          token.substr(last + 1)};
}

TEST(IdTokenForgery, algorithms_that_prove_nothing_are_refused) {
  // Signed by the right key all the same: only the header can tell.
  for (const Json& alg :
       {Json("none"), Json("None"), Json(""), Json("rs256"), Json("RS256 "), Json("HS256"),
        Json("RS384"), Json("RS512"), Json("PS384"), Json("PS512"), Json("ES384"), Json("ES256K"),
        Json("EdDSA"), Json("RSA-OAEP"), Json(nullptr), Json(7), Json::array({"RS256"})}) {
    EXPECT_EQ(outcome(rsa_key().sign(header({{"alg", alg}}), body().dump())), "bad_algorithm")
        << alg;
  }
  const std::pair<std::string, std::string> rows[] = {
      {unsigned_token(header({{"alg", "none"}}).dump(), ""), "bad_algorithm"},
      {unsigned_token(header().dump(), ""), "bad_signature"},
      {unsigned_token(header().dump(), std::string(256, '\0')), "bad_signature"},
      {unsigned_token(header({{"alg", "ES256"}, {"kid", "e1"}}).dump(), std::string(64, '\0')),
       "bad_signature"},
  };
  for (const auto& [token, expected] : rows) EXPECT_EQ(outcome(token), expected) << token;
}

TEST(IdTokenForgery, nothing_public_is_a_secret) {
  const Json head = header({{"alg", "HS256"}});
  for (const std::string& secret : {rsa_key().pem(), published_rsa().dump(),
                                    published_rsa()["n"].get<std::string>(), std::string()}) {
    EXPECT_EQ(outcome(sign_hs256(secret, head, body().dump())), "bad_algorithm") << secret;
  }
  const Json oct = {{"kty", "oct"}, {"kid", "r1"}, {"k", to_base64url("published")}};
  EXPECT_EQ(outcome(sign_hs256("published", head, body().dump()), key_set({oct})), "bad_algorithm");
}

TEST(IdTokenForgery, is_verified_with_the_key_it_names) {
  const auto with_kid = [](const Json& kid) {
    return rsa_key().sign(header({{"kid", kid}}), body().dump());
  };
  const std::string nameless = with_kid(nullptr);
  const Json other_rsa = strange_key().published({{"kid", "r2"}});
  struct Row {
    std::string name;
    std::string token;
    std::vector<Json> keys;
    std::string expected;
  };
  const std::string by_ec_for_rsa = ec_key().sign(header({{"alg", "ES256"}}), body().dump());
  const Row rows[] = {
      {"unknown", with_kid("r9"), {published_rsa()}, "unknown_key"},
      {"empty", with_kid(""), {published_rsa()}, "unknown_key"},
      {"no string", with_kid(7), {published_rsa()}, "malformed"},
      {"no keys", with_kid("r1"), {}, "unknown_key"},
      {"another's", with_kid("r2"), {published_rsa(), other_rsa}, "bad_signature"},
      {"same kid, other key",
       with_kid("r1"),
       {strange_key().published({{"kid", "r1"}})},
       "bad_signature"},
      {"of another type", with_kid("e1"), {published_rsa(), published_ec()}, "bad_algorithm"},
      {"of the other type", by_ec_for_rsa, {published_rsa(), published_ec()}, "bad_algorithm"},
      {"for PS256 alone",
       with_kid("r1"),
       {published_rsa({{"kid", "r1"}, {"alg", "PS256"}})},
       "bad_algorithm"},
      {"for encryption",
       with_kid("r1"),
       {published_rsa({{"kid", "r1"}, {"use", "enc"}})},
       "unknown_key"},
      {"one kid, two types",
       with_kid("r1"),
       {published_ec({{"kid", "r1"}}), published_rsa()},
       "ok"},
      {"one kid, two keys",
       with_kid("r1"),
       {strange_key().published({{"kid", "r1"}}), published_rsa()},
       "unknown_key"},
      {"nameless, one key", nameless, {published_rsa()}, "ok"},
      {"nameless, one key without a kid", nameless, {published_rsa(Json::object())}, "ok"},
      {"nameless, one that fits", nameless, {published_ec(), published_rsa()}, "ok"},
      {"nameless, two that fit", nameless, {published_rsa(), other_rsa}, "unknown_key"},
      {"nameless, none that fits", nameless, {published_ec()}, "unknown_key"},
      {"named, key without a kid", with_kid("r1"), {published_rsa(Json::object())}, "unknown_key"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(outcome(row.token, key_set(row.keys)), row.expected) << row.name;
}

TEST(IdTokenForgery, keys_that_the_token_brings_count_for_nothing) {
  const Json own = strange_key().published({{"kid", "r1"}});
  for (const Json& changes :
       {Json{{"jwk", own}}, Json{{"jku", "https://evil.example/keys"}}, Json{{"x5u", "x"}}}) {
    const Json head = header(changes);
    EXPECT_EQ(outcome(strange_key().sign(head, body().dump())), "bad_signature") << head;
    EXPECT_EQ(outcome(rsa_key().sign(head, body().dump())), "ok") << head;
  }
}

TEST(IdTokenForgery, headers_that_are_not_understood_are_refused) {
  const auto with = [](const Json& changes) {
    return rsa_key().sign(header(changes), body().dump());
  };
  const std::pair<std::string, std::string> rows[] = {
      {with({{"crit", Json::array({"b64"})}, {"b64", false}}), "malformed"},
      {with({{"crit", Json::array()}}), "malformed"},
      {with({{"crit", "exp"}}), "malformed"},
      {with({{"typ", "at+jwt"}}), "malformed"},
      {with({{"typ", "JWE"}}), "malformed"},
      {with({{"typ", 7}}), "malformed"},
      {with({{"typ", "jwt"}}), "ok"},
      {with({{"typ", nullptr}}), "ok"},
      {unsigned_token(R"({"alg":"none","alg":"RS256","kid":"r1"})", "x"), "malformed"},
      {unsigned_token(R"({"alg":"RS256\u0000","kid":"r1"})", "x"), "malformed"},
      {unsigned_token("[]", "x"), "malformed"},
      {unsigned_token("null", "x"), "malformed"},
      {unsigned_token("{\"alg\":\"RS256\"", "x"), "malformed"},
      {unsigned_token("\xff\xfe", "x"), "malformed"},
      {unsigned_token(std::string(5000, '['), "x"), "malformed"},
      {unsigned_token("", "x"), "malformed"},
  };
  for (const auto& [token, expected] : rows) EXPECT_EQ(outcome(token), expected) << token;
}

TEST(IdTokenForgery, changed_anywhere_or_cut_is_refused) {
  for (const std::string& token : {good_rsa(), good_ec()}) {
    for (std::size_t i = 0; i < token.size(); ++i) {
      for (const char other : {'A', 'q', '_', '.', '='}) {
        std::string changed = token;
        changed[i] = other;
        if (changed != token) EXPECT_NE(outcome(changed), "ok") << i << other;
      }
      EXPECT_NE(outcome(token.substr(0, i)), "ok") << i;
      EXPECT_NE(outcome(token.substr(i + 1)), "ok") << i;
    }
    for (const char* more : {"A", "=", ".", "\n", ".AAAA"}) {
      EXPECT_NE(outcome(token + more), "ok") << more;
      EXPECT_NE(outcome(more + token), "ok") << more;
    }
  }
}

TEST(IdTokenForgery, parts_of_several_tokens_do_not_make_one) {
  const auto one = parts_of(good_rsa());
  const auto two = parts_of(good_rsa(body({{"sub", "person-2"}})));
  const auto ec = parts_of(good_ec());
  const auto joined = [](const std::string& a, const std::string& b, const std::string& c) {
    return a + "." + b + "." + c;
  };
  const std::pair<std::string, std::string> rows[] = {
      {joined(one[0], one[1], two[2]), "bad_signature"},
      {joined(one[0], two[1], one[2]), "bad_signature"},
      {joined(ec[0], one[1], one[2]), "bad_signature"},
      {joined(one[0], one[1], ec[2]), "bad_signature"},
      {joined(one[1], one[0], one[2]), "bad_algorithm"},
      {joined(one[0], one[2], one[1]), "bad_signature"},
      {joined(one[0], "", one[2]), "bad_signature"},
      {joined("", one[1], one[2]), "malformed"},
      {joined(one[0], one[1], ""), "bad_signature"},
  };
  for (const auto& [token, expected] : rows) EXPECT_EQ(outcome(token), expected) << token;
}

// What is not strict base64url never gets to cjose, whose 0.6.2.1 aborts at "A===".
TEST(IdTokenForgery, other_spellings_of_the_same_bytes_are_refused) {
  const auto rsa = parts_of(good_rsa());
  const auto ec = parts_of(good_ec());
  const std::string r_and_s = platform::from_base64url(ec[2]).value();
  const std::string zero(1, '\0');
  const std::string padded = zero + r_and_s.substr(0, 32) + zero + r_and_s.substr(32);
  const std::pair<std::string, std::string> rows[] = {
      {"A===." + rsa[1] + "." + rsa[2], "malformed"},
      {rsa[0] + ".A===." + rsa[2], "malformed"},
      {rsa[0] + "." + rsa[1] + ".A===", "malformed"},
      {rsa[0] + "." + rsa[1] + "." + rsa[2] + "==", "malformed"},
      {ec[0] + "." + ec[1] + "." + to_base64url(padded), "bad_signature"},
      {ec[0] + "." + ec[1] + "." + to_base64url(r_and_s + zero), "bad_signature"},
      {rsa[0] + "." + rsa[1] + "." + to_base64url(zero + platform::from_base64url(rsa[2]).value()),
       "bad_signature"},
  };
  for (const auto& [token, expected] : rows) EXPECT_EQ(outcome(token), expected) << token;
}

}  // namespace
}  // namespace annolog::api::oidc::id_token_forgery_test
