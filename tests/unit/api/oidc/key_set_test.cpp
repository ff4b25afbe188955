#include "api/oidc/key_set.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "api/oidc/signature.hpp"
#include "platform/encoding.hpp"
#include "tests/unit/api/oidc/signing_key.hpp"

namespace annolog::api::oidc::key_set_test {
namespace {

using Json = nlohmann::json;

// RFC 7515, appendices A.2 and A.3.
constexpr std::string_view kPayload =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlf"
    "Q";
const Json kRsa = {
    {"kty", "RSA"},
    {"n",
     "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4"
     "d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5re"
     "xMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxX"
     "FvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"},
    {"e", "AQAB"}};
constexpr std::string_view kRsaSignature =
    "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5"
    "jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb"
    "1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QO"
    "YEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw";
const Json kEc = {{"kty", "EC"},
                  {"crv", "P-256"},
                  {"x", "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"},
                  {"y", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}};
constexpr std::string_view kEcSignature =
    "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";

KeySet set_of(const Json& key) { return parse_key_set(Json{{"keys", {key}}}.dump()).value(); }
Json changed(const Json& key, const Json& changes) {
  Json result = key;
  result.merge_patch(changes);
  return result;
}
std::string compact(const char* alg, std::string_view signature) {
  return platform::to_base64url(Json{{"alg", alg}}.dump()) + "." + std::string(kPayload) + "." +
         std::string(signature);
}

TEST(KeySet, the_signatures_of_rfc_7515_hold) {
  EXPECT_TRUE(signature_holds(compact("RS256", kRsaSignature), set_of(kRsa)[0], Algorithm::rs256));
  EXPECT_TRUE(signature_holds(compact("ES256", kEcSignature), set_of(kEc)[0], Algorithm::es256));
  // The same bytes by another scheme, or of another algorithm than was judged.
  EXPECT_FALSE(signature_holds(compact("PS256", kRsaSignature), set_of(kRsa)[0], Algorithm::ps256));
  EXPECT_FALSE(signature_holds(compact("RS256", kRsaSignature), set_of(kRsa)[0], Algorithm::ps256));
}

TEST(KeySet, a_key_fits_the_algorithms_of_its_type) {
  struct Row {
    Json key;
    bool rs256, ps256, es256;
  };
  const Row rows[] = {
      {kRsa, true, true, false},
      {changed(kRsa, {{"alg", "RS256"}}), true, false, false},
      {changed(kRsa, {{"alg", "RS512"}}), false, false, false},
      {changed(kRsa, {{"alg", "ES256"}}), false, false, false},
      {kEc, false, false, true},
      {changed(kEc, {{"alg", "ES256"}}), false, false, true},
  };
  for (const Row& row : rows) {
    const PublicKey key = set_of(row.key).at(0);
    EXPECT_EQ(key.fits(Algorithm::rs256), row.rs256) << row.key;
    EXPECT_EQ(key.fits(Algorithm::ps256), row.ps256) << row.key;
    EXPECT_EQ(key.fits(Algorithm::es256), row.es256) << row.key;
  }
}

TEST(KeySet, what_cannot_verify_is_left_out) {
  const std::string two_to_1024 = "AQ" + std::string(170, 'A');
  const Json rows[] = {
      nullptr,
      "key",
      Json::object(),
      {{"kty", "oct"}, {"k", "c2VjcmV0"}},
      {{"kty", "OKP"}, {"crv", "Ed25519"}, {"x", "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}},
      SigningKey::rsa(1024).published(Json::object()),
      SigningKey::ec("P-384").published(Json::object()),
      changed(kRsa, {{"use", "enc"}}),
      changed(kRsa, {{"use", 7}}),
      changed(kRsa, {{"key_ops", Json::array({"sign"})}}),
      changed(kRsa, {{"key_ops", "verify"}}),
      changed(kRsa, {{"kid", 7}}),
      changed(kRsa, {{"alg", Json::array()}}),
      changed(kRsa, {{"n", nullptr}}),
      changed(kRsa, {{"e", nullptr}}),
      changed(kRsa, {{"e", ""}}),
      changed(kRsa, {{"e", "AAAA"}}),
      changed(kRsa, {{"e", "A==="}}),
      changed(kRsa, {{"e", "AQAAAAAAAAAAAA"}}),
      changed(kRsa, {{"n", two_to_1024}}),
      changed(kRsa, {{"n", std::string(1368, 'q')}}),
      changed(kRsa, {{"kty", "rsa"}}),
      changed(kEc, {{"crv", "secp256k1"}}),
      changed(kEc, {{"x", nullptr}}),
      changed(kEc, {{"y", "A==="}}),
      changed(kEc, {{"y", std::string(48, 'q')}}),
  };
  for (const Json& row : rows) EXPECT_TRUE(set_of(row).empty()) << row;
  EXPECT_EQ(set_of(changed(kRsa, {{"use", "sig"}, {"key_ops", Json::array({"verify"})}})).size(),
            1U);
}

TEST(KeySet, a_point_beside_the_curve_verifies_nothing) {
  const KeySet keys = set_of(changed(kEc, {{"y", kEc["x"]}}));
  EXPECT_FALSE(signature_holds(compact("ES256", kEcSignature), keys.at(0), Algorithm::es256));
}

TEST(KeySet, private_members_are_not_kept) {
  const KeySet keys = set_of(changed(kEc, {{"d", "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"}}));
  EXPECT_EQ(Json::parse(keys.at(0).jwk), kEc);
}

TEST(KeySet, a_text_that_is_none_is_told_from_an_empty_one) {
  for (const char* text : {"", "[]", "{}", "{\"keys\":{}}", "{\"keys\":[]", "<html>"}) {
    EXPECT_FALSE(parse_key_set(text)) << text;
  }
  const auto empty = parse_key_set(R"({"keys":[]})");
  ASSERT_TRUE(empty);
  EXPECT_TRUE(empty->empty());
}

}  // namespace
}  // namespace annolog::api::oidc::key_set_test
