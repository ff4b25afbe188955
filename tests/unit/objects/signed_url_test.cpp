#include "platform/objects/signed_url.hpp"

#include <gtest/gtest.h>
#include <sodium.h>

#include <array>
#include <string>

namespace annolog::platform::signed_url_test {
namespace {

constexpr Timestamp kNow{1'700'000'000'000};

SignedUrls::Mac mac_with(const std::string& key) {
  return [key](std::string_view message) {
    std::array<unsigned char, 32> out{};
    ::crypto_generichash(out.data(), out.size(),
                         reinterpret_cast<const unsigned char*>(message.data()), message.size(),
                         reinterpret_cast<const unsigned char*>(key.data()), key.size());
    return std::string(reinterpret_cast<const char*>(out.data()), out.size());
  };
}

UrlGrant full_grant() {
  return {"PUT",
          ObjectKey::parse("datasets/3/käse & brot+1.jpg").value(),
          kNow + 900'000,
          1234,
          5000,
          "image/svg+xml; charset=utf-8",
          "0123456789abcdef0123456789abcdef"};
}

std::string code_of(const Result<UrlGrant>& result) { return result ? "" : result.error().code; }

TEST(SignedUrl, a_genuine_url_gives_its_grant_back) {
  const SignedUrls urls(mac_with("one"));
  const std::string url = urls.sign(full_grant());
  const auto grant = urls.verify("PUT", url, kNow);
  ASSERT_TRUE(grant.has_value()) << grant.error().message;
  EXPECT_EQ(grant.value(), full_grant());
  EXPECT_EQ(url.find_first_of(" \"<>"), std::string::npos);
}

TEST(SignedUrl, without_constraints_they_are_absent) {
  const SignedUrls urls(mac_with("one"));
  const UrlGrant plain{"GET", ObjectKey::parse("a").value(), kNow + 1, {}, {}, {}, {}};
  EXPECT_EQ(urls.verify("GET", urls.sign(plain), kNow).value(), plain);
  EXPECT_TRUE(urls.verify("HEAD", urls.sign(plain), kNow).has_value());
}

TEST(SignedUrl, method_and_expiry_bind) {
  const SignedUrls urls(mac_with("one"));
  const std::string url = urls.sign(full_grant());
  EXPECT_EQ(code_of(urls.verify("GET", url, kNow)), "URL_METHOD_MISMATCH");
  EXPECT_EQ(code_of(urls.verify("HEAD", url, kNow)), "URL_METHOD_MISMATCH");
  EXPECT_EQ(code_of(urls.verify("put", url, kNow)), "URL_METHOD_MISMATCH");
  EXPECT_EQ(code_of(urls.verify("PUT", url, kNow + 899'999)), "");
  EXPECT_EQ(code_of(urls.verify("PUT", url, kNow + 900'000)), "URL_EXPIRED");
}

TEST(SignedUrl, a_foreign_key_is_refused_and_an_older_one_honoured) {
  const SignedUrls before(mac_with("old"));
  const std::string url = before.sign(full_grant());
  EXPECT_EQ(code_of(SignedUrls(mac_with("new")).verify("PUT", url, kNow)), "URL_SIGNATURE_INVALID");
  EXPECT_EQ(code_of(SignedUrls(mac_with("new"), {mac_with("old")}).verify("PUT", url, kNow)), "");
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(SignedUrl, every_altered_part_is_refused) {
  const SignedUrls urls(mac_with("one"));
  const std::string url = urls.sign(full_grant());
  const std::string signature = url.substr(url.find("&signature=") + 11);
  const struct {
    std::string url, code;
  } rows[] = {
      {replaced(url, "method=PUT", "method=GET"), "URL_SIGNATURE_INVALID"},
      {replaced(url, "datasets/3", "datasets/4"), "URL_SIGNATURE_INVALID"},
      {replaced(url, "expires=17", "expires=18"), "URL_SIGNATURE_INVALID"},
      {replaced(url, "size=1234", "size=1235"), "URL_SIGNATURE_INVALID"},
      {replaced(url, "&size=1234", ""), "URL_SIGNATURE_INVALID"},
      {replaced(url, "max=5000", "max=50000"), "URL_SIGNATURE_INVALID"},
      {replaced(url, "&max=5000", ""), "URL_SIGNATURE_INVALID"},
      {replaced(url, "type=image", "type=text"), "URL_SIGNATURE_INVALID"},
      {replaced(url, "md5=0", "md5=1"), "URL_SIGNATURE_INVALID"},
      {replaced(url, signature, ""), "URL_SIGNATURE_INVALID"},
      {replaced(url, signature, signature.substr(1)), "URL_SIGNATURE_INVALID"},
      {url + "0", "URL_SIGNATURE_INVALID"},
      {replaced(url, "&signature=" + signature, ""), "URL_MALFORMED"},
      {url + "&signature=" + signature, "URL_MALFORMED"},
      {url + "&max=1", "URL_MALFORMED"},
      {url + "&extra=1", "URL_MALFORMED"},
      {url + "&extra", "URL_MALFORMED"},
      {replaced(url, "size=1234", "size=+1234"), "URL_MALFORMED"},
      {replaced(url, "size=1234", "size=01234"), "URL_MALFORMED"},
      {replaced(url, "size=1234", "size=99999999999999999999"), "URL_MALFORMED"},
      {replaced(url, "expires=", "expires=-"), "URL_MALFORMED"},
      {replaced(url, "method=PUT", "method=DELETE"), "URL_MALFORMED"},
      {replaced(url, "type=image", "type=%0aimage"), "URL_MALFORMED"},
      {replaced(url, "type=image", "type=%zzimage"), "URL_MALFORMED"},
      {replaced(url, "md5=0", "md5=G"), "URL_MALFORMED"},
      {replaced(url, "datasets/3", "datasets/%2e%2e"), "URL_MALFORMED"},
      {replaced(url, "datasets/3", "datasets/%00"), "URL_MALFORMED"},
      {replaced(url, "datasets/3", "datasets/%zz"), "URL_MALFORMED"},
      {replaced(url, "/objects/", "/objects//"), "URL_MALFORMED"},
      {replaced(url, "/objects/", "/object/"), "URL_MALFORMED"},
      {url.substr(0, url.find('?')), "URL_MALFORMED"},
      {url.substr(0, url.find('?') + 1), "URL_MALFORMED"},
      {"", "URL_MALFORMED"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(code_of(urls.verify("PUT", row.url, kNow)), row.code) << row.url;
}

TEST(SignedUrl, no_single_changed_byte_passes_unless_it_means_the_same) {
  const SignedUrls urls(mac_with("one"));
  const std::string url = urls.sign(full_grant());
  for (std::size_t i = 0; i < url.size(); ++i) {
    std::string changed = url;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    const auto grant = urls.verify("PUT", changed, kNow);
    if (grant.has_value()) {
      EXPECT_EQ(grant.value(), full_grant()) << changed;
    }
  }
}

TEST(SignedUrl, another_spelling_of_the_same_url_is_honoured) {
  const SignedUrls urls(mac_with("one"));
  const std::string url = replaced(urls.sign(full_grant()), "datasets", "%64atasets");
  EXPECT_TRUE(urls.verify("PUT", replaced(url, "k%C3%A4se", "k%c3%a4se"), kNow).has_value());
}

TEST(SignedUrl, what_can_not_be_verified_is_not_signed) {
  const SignedUrls urls(mac_with("one"));
  UrlGrant grant = full_grant();
  grant.method = "DELETE";
  EXPECT_THROW(urls.sign(grant), std::invalid_argument);
  grant = full_grant();
  grant.content_type = "a\nb";
  EXPECT_THROW(urls.sign(grant), std::invalid_argument);
  EXPECT_THROW(SignedUrls([](std::string_view) { return std::string("short"); }).sign(full_grant()),
               std::logic_error);
}

}  // namespace
}  // namespace annolog::platform::signed_url_test
