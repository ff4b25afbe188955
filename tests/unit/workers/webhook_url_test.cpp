// Where webhooks may lead. Hosts are literal addresses or names of this machine: nobody is asked.
#include "workers/webhooks/webhook_url.hpp"

#include <gtest/gtest.h>

namespace annolog::workers::webhook_url_test {
namespace {

std::string refusal(const std::string& url, PrivateAddresses ones = PrivateAddresses::refused) {
  const auto checked = check_webhook_url(url, ones);
  if (checked) return "";
  EXPECT_EQ(checked.error().code, "VALIDATION_ERROR");
  EXPECT_EQ(checked.error().errors.at(0).loc, (Location{"url"}));
  return checked.error().errors.at(0).type;
}

TEST(WebhookUrls, are_http_or_https_to_public_addresses) {
  for (const char* good : {"https://8.8.8.8", "http://8.8.8.8:8080/hook?token=1",
                           "https://[2001:4860:4860::8888]/hook"})
    EXPECT_EQ(refusal(good), "") << good;
}

TEST(WebhookUrls, are_nothing_else) {
  for (const char* bad :
       {"", "8.8.8.8", "/hook", "ftp://8.8.8.8/", "file:///etc/passwd", "javascript:alert(1)",
        "https://", "http:///hook", "https:////8.8.8.8/", "http://:80/", "gopher://8.8.8.8"})
    EXPECT_EQ(refusal(bad), "url") << bad;
  for (const char* bad : {"https://8.8.8.8/a b", "https://8.8.8.8/\r\nX: y",
                          "https://b\xc3\xbc.de/", "https://8.8.8.8/\xc3\xbc"})
    EXPECT_EQ(refusal(bad), "url_characters") << bad;
  for (const char* bad : {"https://8.8.8.8:99999/", "https://8.8.8.8:0/", "https://8.8.8.8:65536/"})
    EXPECT_EQ(refusal(bad), "url_port") << bad;
  EXPECT_EQ(refusal("https://user@8.8.8.8/"), "url_credentials");
  EXPECT_EQ(refusal("https://user:word@8.8.8.8/"), "url_credentials");
  EXPECT_EQ(refusal("https://8.8.8.8/#top"), "url_fragment");
}

constexpr const char* kInside[] = {
    "http://127.0.0.1/",
    "http://127.0.0.1:5432/",
    "http://localhost/",
    "http://LOCALHOST:80/",
    "http://[::1]/",
    "http://[::ffff:10.0.0.1]/",
    "http://10.1.2.3/",
    "http://192.168.1.1/",
    "http://172.16.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[fd00:ec2::254]/",
    "http://0.0.0.0/",
    "http://[::]/",
    "http://[fe80::1]/",
    "http://224.0.0.1/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://100.64.0.1/",
};

TEST(WebhookUrls, that_lead_inside_are_refused_unless_a_setting_allows_them) {
  for (const char* url : kInside) {
    EXPECT_EQ(refusal(url), "private_address") << url;
    EXPECT_EQ(refusal(url, PrivateAddresses::allowed), "") << url;
  }
  EXPECT_EQ(refusal("http://u:p@127.0.0.1/", PrivateAddresses::allowed), "url_credentials");
}

}  // namespace
}  // namespace annolog::workers::webhook_url_test
