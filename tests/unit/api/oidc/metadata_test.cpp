#include "api/oidc/metadata.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "api/oidc/endpoint_url.hpp"

namespace annolog::api::oidc::metadata_test {
namespace {

using Json = nlohmann::json;

const std::string kIssuer = "https://id.example/realm";
const std::string kLocal = "http://127.0.0.1:4000";

Json document(const std::string& issuer, const Json& changes = Json::object()) {
  Json all = {{"issuer", issuer},
              {"authorization_endpoint", issuer + "/auth"},
              {"token_endpoint", issuer + "/token"},
              {"jwks_uri", "https://keys.example/jwks"},
              {"response_types_supported", {"code"}}};
  all.merge_patch(changes);
  return all;
}
bool is_understood(const Json& document, const std::string& issuer = kIssuer) {
  const auto result = parse_metadata(document.dump(), issuer);
  if (!result) EXPECT_EQ(result.error().kind, ProviderError::Kind::not_understood);
  return result.has_value();
}

TEST(Metadata, names_the_endpoints) {
  const auto result = parse_metadata(document(kIssuer).dump(), kIssuer);
  ASSERT_TRUE(result) << result.error().detail;
  EXPECT_EQ(result.value().authorization_endpoint, "https://id.example/realm/auth");
  EXPECT_EQ(result.value().token_endpoint, "https://id.example/realm/token");
  EXPECT_EQ(result.value().jwks_uri, "https://keys.example/jwks");
}

TEST(Metadata, lies_below_the_issuer) {
  EXPECT_EQ(discovery_url("https://id.example"),
            "https://id.example/.well-known/openid-configuration");
  EXPECT_EQ(discovery_url("https://id.example/"),
            "https://id.example/.well-known/openid-configuration");
  EXPECT_EQ(discovery_url("https://id.example/realm/"),
            "https://id.example/realm/.well-known/openid-configuration");
}

TEST(Metadata, of_another_issuer_or_broken_is_not_understood) {
  EXPECT_FALSE(is_understood(document(kIssuer + "/")));
  EXPECT_FALSE(is_understood(document("https://evil.example")));
  EXPECT_FALSE(is_understood(document(kIssuer, {{"issuer", nullptr}})));
  EXPECT_FALSE(is_understood(document(kIssuer, {{"issuer", 7}})));
  for (const char* name : {"authorization_endpoint", "token_endpoint", "jwks_uri"}) {
    for (const Json& value : {Json(nullptr), Json(7), Json(""), Json("/relative"),
                              Json("http://id.example/x"), Json(kLocal + "/x")}) {
      EXPECT_FALSE(is_understood(document(kIssuer, {{name, value}}))) << name << value;
    }
  }
  for (const char* text : {"", "[]", "<html>", "{"}) EXPECT_FALSE(parse_metadata(text, kIssuer));
}

TEST(Metadata, an_issuer_on_this_machine_may_do_without_tls) {
  EXPECT_TRUE(is_understood(document(kLocal), kLocal));
  EXPECT_FALSE(is_understood(document(kLocal, {{"jwks_uri", "http://id.example/x"}}), kLocal));
}

TEST(Metadata, the_secret_goes_by_the_first_way_that_the_provider_takes) {
  const auto ways = [](const Json& methods) {
    return parse_metadata(
        document(kIssuer, {{"token_endpoint_auth_methods_supported", methods}}).dump(), kIssuer);
  };
  EXPECT_TRUE(ways(nullptr).value().takes_basic);
  EXPECT_TRUE(ways({"client_secret_post", "client_secret_basic"}).value().takes_basic);
  EXPECT_FALSE(ways({"private_key_jwt", "client_secret_post"}).value().takes_basic);
  EXPECT_FALSE(ways(Json::array({"private_key_jwt"})));
  EXPECT_FALSE(ways(Json::array()));
  EXPECT_FALSE(ways("client_secret_post"));
}

TEST(EndpointUrl, https_or_this_machine) {
  const std::pair<std::string, UrlKind> rows[] = {
      {"https://id.example", UrlKind::https},
      {"https://id.example:8443/a?b=c", UrlKind::https},
      {"HTTPS://id.example", UrlKind::https},
      {"https://[2001:db8::1]/", UrlKind::https},
      {"http://127.0.0.1:4000", UrlKind::plain_loopback},
      {"http://127.8.9.10/", UrlKind::plain_loopback},
      {"http://[::1]:4000/a", UrlKind::plain_loopback},
      {"http://localhost:4000/a", UrlKind::plain_loopback},
      {"http://id.example", UrlKind::refused},
      {"http://127.evil.example", UrlKind::refused},
      {"http://localhost.evil.example", UrlKind::refused},
      {"http://127.0.0.1@evil.example/", UrlKind::refused},
      {"http://evil.example/127.0.0.1", UrlKind::refused},
      {"http://0.0.0.0/", UrlKind::refused},
      {"https://user@id.example/", UrlKind::refused},
      {"https://:password@id.example/", UrlKind::refused},
      {"https://id.example/#fragment", UrlKind::refused},
      {"https://id.example/#", UrlKind::refused},
      {"https://id.example/a b", UrlKind::refused},
      {"https://id.example/\r\nSet-Cookie:a=b", UrlKind::refused},
      {"https://id.ex\xc3\xa4mple/", UrlKind::refused},
      {std::string("https://id.example/\0x", 21), UrlKind::refused},
      {"https://", UrlKind::refused},
      {"id.example", UrlKind::refused},
      {"//id.example", UrlKind::refused},
      {"ftp://id.example", UrlKind::refused},
      {"file:///etc/passwd", UrlKind::refused},
      {"javascript:alert(1)", UrlKind::refused},
      {"", UrlKind::refused},
  };
  for (const auto& [url, kind] : rows) EXPECT_EQ(url_kind(url), kind) << url;
}

}  // namespace
}  // namespace annolog::api::oidc::metadata_test
