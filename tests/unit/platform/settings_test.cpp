#include "platform/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>

#include "platform/files.hpp"

namespace annolog::platform::settings_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// The loc and message of the only error; fails the test when there is another number of them.
std::pair<std::string, std::string> only_error(const SettingsSources& sources) {
  const auto result = load_settings(sources);
  if (result) return {"none", "the settings were accepted"};
  EXPECT_EQ(result.error().code, "INVALID_SETTINGS");
  if (result.error().errors.size() != 1) return {"many", result.error().message};
  const FieldError& error = result.error().errors.front();
  return {std::get<std::string>(error.loc.front()), error.msg};
}

class SettingsFile : public ::testing::Test {
 protected:
  SettingsSources with_file(std::string_view content) {
    write_file_atomically(file_, content);
    return {.flags = {}, .environment = {}, .file = file_};
  }
  TempDir dir_;
  std::filesystem::path file_ = dir_.path() / "annolog.conf";
};

TEST(Settings, without_any_source_are_the_defaults) {
  const auto settings = load_settings({});
  ASSERT_TRUE(settings);
  EXPECT_EQ(describe(settings.value()), describe(Settings{}));
  EXPECT_EQ(settings.value().http_port, 8080);
  EXPECT_EQ(settings.value().max_video_bytes, std::int64_t{20} * 1024 * 1024 * 1024);
}

// What the specification and the decisions name.
TEST(Settings, defaults_that_are_promised) {
  const Settings defaults;
  EXPECT_EQ(defaults.realtime_connections, 200);
  EXPECT_EQ(defaults.realtime_connections_per_user, 10);
  EXPECT_EQ(defaults.realtime_ping_s, 25);
  EXPECT_EQ(defaults.realtime_notification_ping_s, 30);
  EXPECT_EQ(defaults.realtime_idle_s, 60);
  EXPECT_EQ(defaults.checkpoint_seconds, 60);
  EXPECT_EQ(defaults.notification_days, 90);
  EXPECT_EQ(defaults.task_lock_minutes, 30);
  EXPECT_EQ(defaults.access_token_minutes, 30);
  EXPECT_EQ(defaults.refresh_token_days, 7);
  EXPECT_EQ(defaults.refresh_rate_per_minute, 5);
  EXPECT_EQ(defaults.allow_open_registration, "off");
  EXPECT_EQ(defaults.webhook_allow_private, "off");
}

TEST(Settings, every_default_is_within_its_own_limits) {
  for (const SettingHelp& entry : setting_list()) {
    if (entry.default_value.empty()) continue;
    EXPECT_TRUE(load_settings({.flags = {{entry.name, entry.default_value}}})) << entry.name;
  }
}

TEST(Settings, every_one_can_be_set_by_flag_and_by_each_environment_name) {
  for (const SettingHelp& entry : setting_list()) {
    const std::string bad = "\x01";  // refused by all but free texts, which then hold it
    const auto names_it = [&](const SettingsSources& sources) {
      const auto result = load_settings(sources);
      if (!result) return result.error().message.find(entry.name) != std::string::npos;
      return describe(result.value()).find(entry.name + " = " + bad) != std::string::npos ||
             describe(result.value()).find(entry.name + " = ****") != std::string::npos;
    };
    EXPECT_TRUE(names_it({.flags = {{entry.flag.substr(2), bad}}})) << entry.flag;
    const std::size_t comma = entry.environment.find(", ");
    EXPECT_TRUE(names_it({.environment = {{entry.environment.substr(0, comma), bad}}}));
    if (comma == std::string::npos) continue;
    EXPECT_TRUE(names_it({.environment = {{entry.environment.substr(comma + 2), bad}}}));
  }
}

TEST_F(SettingsFile, flag_wins_over_environment_over_file_over_default) {
  SettingsSources sources = with_file("http_port = 1001\n");
  EXPECT_EQ(load_settings(sources).value().http_port, 1001);
  sources.environment = {{"ANNOLOG_HTTP_PORT", "1002"}};
  EXPECT_EQ(load_settings(sources).value().http_port, 1002);
  sources.flags = {{"http-port", "1003"}};
  EXPECT_EQ(load_settings(sources).value().http_port, 1003);
}

TEST(Settings, names_that_the_specification_fixes_are_read_and_yield_to_the_long_form) {
  SettingsSources sources{.environment = {{"ADMIN_USERNAME", "root"}}};
  EXPECT_EQ(load_settings(sources).value().admin_username, "root");
  sources.environment["ANNOLOG_ADMIN_USERNAME"] = "chief";
  EXPECT_EQ(load_settings(sources).value().admin_username, "chief");
}

TEST(Settings, an_empty_or_foreign_environment_variable_is_as_none) {
  EXPECT_TRUE(load_settings({.environment = {{"ANNOLOG_HTTP_PORT", ""}, {"ANNOLOG_OTHER", "x"}}}));
}

TEST_F(SettingsFile, comments_blanks_quotes_and_line_ends_are_understood) {
  const auto settings =
      load_settings(with_file("# a comment\n\n  data_dir = \"/srv/anno log\" \r\nshards=7\n"
                              "trusted_proxies = 10.0.0.0/8, ::1 ,\nhttp_port = 81"));
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings.value().data_dir, "/srv/anno log");
  EXPECT_EQ(settings.value().shards, 7);
  EXPECT_THAT(settings.value().trusted_proxies, ElementsAre("10.0.0.0/8", "::1"));
  EXPECT_EQ(settings.value().http_port, 81);
}

TEST_F(SettingsFile, the_environment_may_name_the_file) {
  const SettingsSources sources = with_file("shards = 4\n");
  const auto found = load_settings({.environment = {{"ANNOLOG_CONFIG", file_.string()}}});
  EXPECT_EQ(found.value().shards, 4);
}

TEST(Settings, values_out_of_range_are_refused_by_name_with_what_is_allowed) {
  struct Row {
    std::string name, value, allowed;
  };
  const Row rows[] = {
      {"http_port", "65536", "0 to 65535"},
      {"http_port", "-1", "0 to 65535"},
      {"http_port", "80 80", "0 to 65535"},
      {"http_port", "0x50", "0 to 65535"},
      {"http_port", "8080.0", "0 to 65535"},
      {"http_port", "99999999999999999999", "0 to 65535"},
      {"http_port", "", "0 to 65535"},
      {"shards", "0", "1 to 1024"},
      {"log_level", "loud", "trace, debug, info, warn or error"},
      {"data_dir", "", "not be empty"},
      {"http_address", "localhost", "IPv4 or IPv6"},
      {"http_address", "127.0.0.1:80", "IPv4 or IPv6"},
      {"public_url", "annotate.example.org", "http://"},
      {"public_url", "https://", "http://"},
      {"public_url", "https://a b", "http://"},
      {"public_url", "https://a/?q", "http://"},
      {"trusted_proxies", "10.0.0.0/33", "10.0.0.0/8"},
      {"trusted_proxies", "10.0.0.0/", "10.0.0.0/8"},
      {"trusted_proxies", "10.0.0.1, proxy.local", "10.0.0.0/8"},
      {"trusted_proxies", "::1/129", "10.0.0.0/8"},
      {"cors_origins", "https://a.example/path", "origins"},
      {"cors_origins", "a.example", "origins"},
      {"database_url", std::string("a\0b", 3), "NUL"},
  };
  for (const Row& row : rows) {
    const auto [name, message] = only_error({.flags = {{row.name, row.value}}});
    EXPECT_EQ(name, row.name) << row.value;
    EXPECT_THAT(message, HasSubstr(row.allowed)) << row.value;
  }
}

TEST_F(SettingsFile, unknown_malformed_and_repeated_lines_are_refused_with_their_line) {
  struct Row {
    std::string content, name, message;
  };
  const Row rows[] = {
      {"htp_port = 1\n", "htp_port", "line 1"},
      {"shards = 2\nhttp_port 8080\n", "config", "line 2"},
      {"shards = 2\n\nshards = 3\n", "shards", "line 3"},
      {"[section]\n", "config", "line 1"},
      {"= 3\n", "", "no such setting"},
      {"http_port = 8080 # here\n", "http_port", "0 to 65535"},
  };
  for (const Row& row : rows) {
    const auto [name, message] = only_error(with_file(row.content));
    EXPECT_EQ(name, row.name) << row.content;
    EXPECT_THAT(message, HasSubstr(row.message)) << row.content;
  }
}

TEST(Settings, a_file_that_is_not_there_is_an_error_that_names_it) {
  const auto [name, message] = only_error({.file = "/nonexistent/annolog.conf"});
  EXPECT_EQ(name, "config");
  EXPECT_THAT(message, HasSubstr("/nonexistent/annolog.conf"));
}

TEST(Settings, an_unknown_flag_is_refused) {
  EXPECT_EQ(only_error({.flags = {{"http-prot", "1"}}}).first, "http_prot");
}

TEST(Settings, all_errors_are_found_at_once) {
  const auto result = load_settings({.flags = {{"http_port", "x"}, {"shards", "x"}, {"y", "x"}}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().errors.size(), 3U);
  EXPECT_THAT(result.error().message, HasSubstr("--http-port"));
}

TEST(Settings, pings_come_before_silence_closes_a_socket) {
  const SettingsSources given{.flags = {{"realtime_ping_s", "60"}, {"realtime_idle_s", "60"}}};
  EXPECT_EQ(only_error(given).first, "realtime_ping_s");
  EXPECT_TRUE(load_settings({.flags = {{"realtime_ping_s", "59"}, {"realtime_idle_s", "60"}}}));
}

TEST(Settings, secrets_are_never_shown) {
  const auto settings = load_settings({.environment = {{"ADMIN_PASSWORD", "Hunter2Hunter2"},
                                                       {"ANNOLOG_DATABASE_URL", "password=pg"}}});
  ASSERT_TRUE(settings);
  const std::string text = describe(settings.value());
  EXPECT_THAT(text, Not(HasSubstr("Hunter2")));
  EXPECT_THAT(text, Not(HasSubstr("password=pg")));
  EXPECT_THAT(text, HasSubstr("admin_password = ****\n"));
  const auto refused = only_error({.flags = {{"admin_password", std::string("Hunter2\0", 8)}}});
  EXPECT_THAT(refused.second, Not(HasSubstr("Hunter2")));
}

TEST(Settings, the_public_url_loses_its_trailing_slash) {
  EXPECT_EQ(
      load_settings({.environment = {{"PUBLIC_URL", "https://a.example/x//"}}}).value().public_url,
      "https://a.example/x");
}

TEST(Settings, help_lists_every_one_with_its_default) {
  const std::string help = settings_help();
  for (const SettingHelp& entry : setting_list()) {
    EXPECT_THAT(help, HasSubstr(entry.flag + " "));
    EXPECT_THAT(help, HasSubstr("default: " + entry.default_value));
    EXPECT_FALSE(entry.help.empty());
  }
  EXPECT_THAT(help, HasSubstr("ANNOLOG_PUBLIC_URL, PUBLIC_URL"));
}

}  // namespace
}  // namespace annolog::platform::settings_test
