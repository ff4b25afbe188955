// Signed URLs of objects. The first line is the method, the rest the target. With a signature that
// is easy to give, the grammar; with a real one, that nothing in a genuine URL can be changed.
#include <string>

#include "platform/digest.hpp"
#include "platform/objects/signed_url.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace annolog::fuzz {
namespace {

using platform::SignedUrls;

constexpr Timestamp kNow{1'700'000'000'000};

SignedUrls easy_urls() {
  return SignedUrls([](std::string_view) { return std::string(16, '\0'); });
}

SignedUrls real_urls() {
  return SignedUrls([](std::string_view message) {
    const auto mac = platform::hmac_sha256(platform::MacKey{7}, message);
    return std::string(platform::as_bytes_view(mac));
  });
}

// Each place takes another byte: the URL is refused, or is the same grant in another spelling.
void check_changes(const SignedUrls& urls, const platform::UrlGrant& grant) {
  const std::string url = urls.sign(grant);
  for (std::size_t place = 0; place < url.size(); place += 1 + url.size() / 64) {
    std::string changed = url;
    changed[place] = changed[place] == 'b' ? 'B' : 'b';
    const auto taken = urls.verify(grant.method, changed, kNow);
    require(!taken || taken.value() == grant, "a change is noticed");
  }
}

}  // namespace

void try_input(std::string_view input) {
  static const SignedUrls easy = easy_urls();
  static const SignedUrls real = real_urls();
  const auto [method, target] = split(input);
  require(!real.verify(method, target, kNow), "nobody guesses a signature");
  const auto grant = easy.verify(method, target, kNow);
  if (!grant) return;
  require(grant.value().expires_at > kNow, "what is taken has not expired");
  require(method == grant.value().method || method == "HEAD",
          "the method is the one that is signed");
  const std::string url = real.sign(grant.value());
  require(url.find_first_of(" \t\r\n\"<>") == std::string::npos, "a URL is one word");
  const auto again = real.verify(method, url, kNow);
  require(again && again.value() == grant.value(), "a URL gives its grant back");
  check_changes(real, grant.value());
}

}  // namespace annolog::fuzz
