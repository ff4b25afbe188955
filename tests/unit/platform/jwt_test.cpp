#include "platform/jwt.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "platform/encoding.hpp"
#include "platform/files.hpp"

namespace annolog::platform::jwt_test {
namespace {

using Json = nlohmann::json;
constexpr Timestamp kNow{1'750'000'000'000};
constexpr std::string_view kIssuer = "https://annolog.example";

class JwtTest : public ::testing::Test {
 protected:
  static Claims claims() {
    return {UserId{42}, "annotator", "j-1", 3, kNow, kNow + 1'800'000, std::string(kIssuer)};
  }
  Json header() const {
    return {{"alg", "HS256"}, {"kid", keyring_.current(Purpose::jwt).kid}, {"typ", "JWT"}};
  }
  static Json body() {
    const std::int64_t now_s = kNow.ms / 1000;
    return {{"sub", "42"},  {"role", "annotator"}, {"jti", "j-1"},   {"gen", 3},
            {"iat", now_s}, {"exp", now_s + 1800}, {"iss", kIssuer}, {"typ", "access"}};
  }
  // A token signed with the right key whatever it says: only the checks can refuse it.
  std::string forge(const std::string& head, const std::string& payload) const {
    std::string token = to_base64url(head) + "." + to_base64url(payload);
    const auto mac = hmac_sha256(keyring_.current(Purpose::jwt).key, token);
    return token + "." + to_base64url(as_bytes_view(mac));
  }
  std::string outcome(std::string_view token, const JwtCheck& check = {.now = kNow}) const {
    const JwtResult result = jwt_.verify(token, check);
    return std::string(result ? "ok" : to_string(result.error()));
  }

  TempDir dir_;
  Keyring keyring_ = Keyring::open(dir_.path());
  Jwt jwt_{keyring_, std::string(kIssuer)};
};

TEST_F(JwtTest, carries_its_claims) {
  const JwtResult result = jwt_.verify(jwt_.create(claims()), {.now = kNow});
  ASSERT_TRUE(result);
  EXPECT_EQ(result.value(), claims());
}

TEST_F(JwtTest, a_forged_one_that_says_the_right_things_is_the_baseline) {
  EXPECT_EQ(outcome(forge(header().dump(), body().dump())), "ok");
}

TEST_F(JwtTest, lives_exactly_as_long_as_it_says) {
  const std::string token = jwt_.create(claims());
  struct Row {
    std::int64_t after_ms;
    std::int64_t grace_ms;
    std::string outcome;
  };
  for (const Row& row : {Row{0, 0, "ok"}, Row{1'799'999, 0, "ok"}, Row{1'800'000, 0, "expired"},
                         Row{1'800'000, 1, "ok"}, Row{1'860'000, 60'000, "expired"},
                         Row{-60'000, 0, "ok"}, Row{-60'001, 0, "from_future"}}) {
    EXPECT_EQ(outcome(token, {.now = kNow + row.after_ms, .expiry_grace_ms = row.grace_ms}),
              row.outcome)
        << row.after_ms;
  }
}

TEST_F(JwtTest, another_type_issuer_or_service_is_refused) {
  EXPECT_EQ(outcome(jwt_.create(claims()), {.now = kNow, .typ = "refresh"}), "wrong_type");
  EXPECT_EQ(outcome(Jwt(keyring_, "https://other.example").create(claims())), "wrong_issuer");
  const TempDir other_dir;
  const Keyring other = Keyring::open(other_dir.path());
  EXPECT_EQ(outcome(Jwt(other, std::string(kIssuer)).create(claims())), "unknown_key");
}

TEST_F(JwtTest, survives_a_rotation_until_its_key_is_forgotten) {
  const std::string token = jwt_.create(claims());
  keyring_.rotate();
  EXPECT_EQ(outcome(token), "ok");
  for (std::size_t i = 1; i < Keyring::kMaxKeys; ++i) keyring_.rotate();
  EXPECT_EQ(outcome(token), "unknown_key");
}

TEST_F(JwtTest, headers_that_try_to_steer_are_refused) {
  const auto with = [&](const char* name, const Json& value) {
    Json changed = header();
    changed[name] = value;
    return changed.dump();
  };
  const std::pair<std::string, std::string> rows[] = {
      {with("alg", "none"), "bad_algorithm"},
      {with("alg", "None"), "bad_algorithm"},
      {with("alg", "hs256"), "bad_algorithm"},
      {with("alg", "HS512"), "bad_algorithm"},
      {with("alg", "RS256"), "bad_algorithm"},
      {with("alg", nullptr), "bad_algorithm"},
      {with("alg", Json::array({"HS256"})), "bad_algorithm"},
      {"{}", "bad_algorithm"},
      {with("kid", "../../etc/passwd"), "unknown_key"},
      {with("kid", ""), "unknown_key"},
      {with("kid", 7), "unknown_key"},
      {R"({"alg":"HS256"})", "unknown_key"},
      {with("crit", Json::array({"exp"})), "malformed"},
      {with("jku", "https://evil.example/keys"), "malformed"},
      {with("jwk", Json::object()), "malformed"},
      {with("typ", "JWE"), "malformed"},
      {"[]", "malformed"},
      {"null", "malformed"},
      {"{\"alg\":\"HS256\"", "malformed"},
      {std::string(300, '['), "malformed"},
      {std::string(600, ' ') + header().dump(), "malformed"},
      {"", "malformed"},
  };
  for (const auto& [head, expected] : rows) {
    EXPECT_EQ(outcome(forge(head, body().dump())), expected) << head;
  }
}

TEST_F(JwtTest, bodies_with_missing_or_wrong_claims_are_refused) {
  const Json good = body();
  for (const auto& [name, value] : good.items()) {
    Json missing = body();
    missing.erase(name);
    EXPECT_EQ(outcome(forge(header().dump(), missing.dump())), "bad_claims") << name << value;
    for (const Json& wrong : {Json(nullptr), Json(-1), Json(1.5), Json(true), Json::array(),
                              Json(std::uint64_t{1} << 63)}) {
      Json changed = body();
      changed[name] = wrong;
      EXPECT_EQ(outcome(forge(header().dump(), changed.dump())), "bad_claims") << name << wrong;
    }
  }
  for (const char* sub :
       {"", "-1", "-0", "00", "042", "42x", " 42", "42 ", "9007199254740992", "1e3"}) {
    Json changed = body();
    changed["sub"] = sub;
    EXPECT_EQ(outcome(forge(header().dump(), changed.dump())), "bad_claims") << sub;
  }
  for (const char* text : {"", "[]", "{", "\"x\""}) {
    EXPECT_EQ(outcome(forge(header().dump(), text)), "malformed") << text;
  }
}

TEST_F(JwtTest, changed_anywhere_is_refused) {
  const std::string token = jwt_.create(claims());
  for (std::size_t i = 0; i < token.size(); ++i) {
    for (const char other : {'A', 'q', '_', '.'}) {
      std::string changed = token;
      changed[i] = other;
      if (changed != token) EXPECT_NE(outcome(changed), "ok") << i;
    }
    EXPECT_NE(outcome(token.substr(0, i)), "ok") << i;
  }
  EXPECT_NE(outcome(token + "A"), "ok");
  EXPECT_NE(outcome(token + "="), "ok");
  EXPECT_NE(outcome(" " + token), "ok");
}

TEST_F(JwtTest, a_signature_left_out_or_made_for_another_purpose_is_refused) {
  const std::string token = jwt_.create(claims());
  const std::string unsigned_part = token.substr(0, token.rfind('.'));
  EXPECT_EQ(outcome(unsigned_part + "."), "bad_signature");
  const auto mac = hmac_sha256(keyring_.current(Purpose::cursor).key, unsigned_part);
  EXPECT_EQ(outcome(unsigned_part + "." + to_base64url(as_bytes_view(mac))), "bad_signature");
}

TEST_F(JwtTest, a_huge_one_is_refused_unread) {
  EXPECT_EQ(outcome(std::string(Jwt::kMaxTokenBytes + 1, 'a')), "too_large");
  EXPECT_EQ(outcome(""), "malformed");
  EXPECT_EQ(outcome("a.b"), "malformed");
  EXPECT_EQ(outcome("..."), "malformed");
}

}  // namespace
}  // namespace annolog::platform::jwt_test
