// The parts without sockets: cursors, tags, ranges, traces, addresses, texts.
#include <gmock/gmock.h>

#include "api/http/client_address.hpp"
#include "api/http/cursor.hpp"
#include "api/http/etag.hpp"
#include "api/http/query_string.hpp"
#include "api/http/range.hpp"
#include "api/http/schema_rules.hpp"
#include "api/http/text.hpp"
#include "api/http/tracing.hpp"

namespace annolog::http::pure_test {
namespace {

// Stands for a real signature: a sum that changes with every byte.
CursorSigner toy_signer() {
  const auto sum = [](std::string_view text, std::string_view bound_to) {
    unsigned value = 17;
    for (const std::string_view part : {text, bound_to})
      for (const char c : part) value = value * 31 + static_cast<unsigned char>(c);
    return std::to_string(value);
  };
  return {[sum](std::string_view payload, std::string_view bound_to) {
            return sum(payload, bound_to) + "." + std::string(payload);
          },
          [sum](std::string_view token, std::string_view bound_to) -> std::optional<std::string> {
            const std::size_t dot = token.find('.');
            if (dot == std::string_view::npos) return std::nullopt;
            std::string payload(token.substr(dot + 1));
            if (sum(payload, bound_to) != token.substr(0, dot)) return std::nullopt;
            return payload;
          }};
}

TEST(HttpCursor, ComesBackForItsOwnQueryOnly) {
  const Cursors cursors(toy_signer());
  const std::string cursor = cursors.encode("tasks?status=open", "2026-01-01|17");
  EXPECT_EQ(cursors.decode("tasks?status=open", cursor).value(), "2026-01-01|17");
  const auto foreign = cursors.decode("tasks?status=done", cursor);
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().code, "INVALID_CURSOR");
  EXPECT_EQ(foreign.error().kind, DomainError::Kind::invalid);
}

TEST(HttpCursor, AnyAlteredByteIsRefused) {
  const Cursors cursors(toy_signer());
  const std::string cursor = cursors.encode("list", "position");
  for (std::size_t i = 0; i < cursor.size(); ++i) {
    std::string altered = cursor;
    altered[i] = static_cast<char>(altered[i] ^ 1);
    EXPECT_FALSE(cursors.decode("list", altered)) << i;
  }
  EXPECT_FALSE(cursors.decode("list", ""));
  EXPECT_FALSE(cursors.decode("list", cursor.substr(0, cursor.size() - 1)));
  EXPECT_FALSE(cursors.decode("list", std::string(10'000, 'x')));
}

TEST(HttpIfMatch, ReadsListsAndKnowsTheVersion) {
  EXPECT_FALSE(IfMatch::parse(std::nullopt).value().present());
  using Versions = std::vector<std::int64_t>;
  EXPECT_EQ(IfMatch::parse(std::nullopt).value().versions(), std::nullopt);
  EXPECT_EQ(IfMatch::parse("*").value().versions(), std::nullopt);
  EXPECT_EQ(IfMatch::parse("\"7\"").value().versions(), Versions{7});
  EXPECT_EQ(IfMatch::parse("\"7\", \"8\"").value().versions(), (Versions{7, 8}));
  EXPECT_EQ(IfMatch::parse("\"x\"").value().versions(), Versions{});
  EXPECT_TRUE(IfMatch::parse("*").value().allows(3));
  for (const char* bad : {"", "7", "\"7", "\"7\",", "\"7\" \"8\"", "w/\"7\""}) {
    const auto parsed = IfMatch::parse(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_EQ(parsed.error().kind, DomainError::Kind::bad_request) << bad;
  }
}

TEST(HttpRange, EmptyContentSatisfiesNothing) {
  EXPECT_EQ(choose_range("bytes=0-", {}, "", 0).kind, RangeChoice::Kind::unsatisfiable);
  EXPECT_EQ(choose_range("bytes=-1", {}, "", 0).kind, RangeChoice::Kind::unsatisfiable);
  EXPECT_EQ(choose_range({}, {}, "", 0).kind, RangeChoice::Kind::whole);
  EXPECT_EQ(choose_range("bytes=18446744073709551616-", {}, "", 5).kind,
            RangeChoice::Kind::unsatisfiable);
  EXPECT_EQ(choose_range("bytes=2-18446744073709551616", {}, "", 5).range.last, 4U);
}

TEST(HttpTracing, NewIdsDiffer) {
  EXPECT_NE(request_id_from({}), request_id_from({}));
  EXPECT_EQ(request_id_from(std::string(128, 'a')), std::string(128, 'a'));
  EXPECT_NE(request_id_from(std::string(129, 'a')), std::string(129, 'a'));
  const std::string zero = "00-00000000000000000000000000000000-b7ad6b7169203331-01";
  EXPECT_NE(traceparent_from(zero).substr(3, 32), zero.substr(3, 32));
}

TEST(HttpProxies, WalksBackToTheFirstUntrustedHop) {
  const auto peer = [](const char* text) { return boost::asio::ip::make_address(text); };
  const TrustedProxies proxies("10.0.0.0/8, 2001:db8::/32 192.168.1.1");
  EXPECT_EQ(proxies.client(peer("10.1.1.1"), "1.1.1.1, 2.2.2.2, 192.168.1.1"), "2.2.2.2");
  EXPECT_EQ(proxies.client(peer("11.1.1.1"), "1.1.1.1"), "11.1.1.1");
  EXPECT_EQ(proxies.client(peer("::ffff:10.1.1.1"), "[2001:db8::5]:99, 2001:db9::1"),
            "2001:db9::1");
  EXPECT_EQ(proxies.client(peer("10.1.1.1"), "1.1.1.1:4711"), "1.1.1.1");
  EXPECT_EQ(proxies.client(peer("10.1.1.1"), "1.1.1.1, garbage"), "10.1.1.1");
  EXPECT_EQ(proxies.client(peer("10.1.1.1"), "10.2.2.2"), "10.2.2.2");
  EXPECT_THROW(TrustedProxies("10.0.0.0/33"), std::invalid_argument);
  EXPECT_THROW(TrustedProxies("proxy.example"), std::invalid_argument);
}

TEST(HttpText, PercentDecodingIsStrict) {
  EXPECT_EQ(percent_decode("a%2fb+c", false), "a/b+c");
  EXPECT_EQ(percent_decode("a%2fb+c", true), "a/b c");
  for (const char* bad : {"%", "%2", "%zz", "%00", "%ff", "%c3"}) {
    EXPECT_FALSE(percent_decode(bad, false)) << bad;
  }
}

TEST(HttpSchema, RulesThatDoNotSuitAreFoundAtStart) {
  Schema schema;
  schema.type = Schema::Type::object;
  auto text = std::make_shared<Schema>();
  text->type = Schema::Type::string;
  schema.properties.push_back({.name = "name", .schema = text});
  ObjectRules rules(schema);
  EXPECT_THROW(rules.field("nmae"), std::logic_error);
  EXPECT_THROW(rules.field("name").range(1, 2), std::logic_error);
  EXPECT_THROW(rules.field("name").pattern("a*", "must be a"),
               std::logic_error);  // without a length
  EXPECT_NO_THROW(rules.field("name").length(1, 5).pattern("a*", "must be a"));
  EXPECT_FALSE(text->max_length) << "the type's own schema must stay as it was";
}

}  // namespace
}  // namespace annolog::http::pure_test
