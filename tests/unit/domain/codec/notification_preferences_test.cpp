// Which types of notifications a user has turned off, and what may be set.
#include "domain/codec/notification_preferences.hpp"

#include <gtest/gtest.h>

namespace annolog::testing::notification_preferences_test {
namespace {

using Type = NotificationType;

Preferences with(const std::string& json) { return {{"notifications", {json}}, {"theme", {"1"}}}; }

std::vector<std::string> refusals(const Preferences& changes) {
  std::vector<FieldError> errors;
  codec::check_notification_preferences(changes, errors);
  std::vector<std::string> said;
  for (const FieldError& error : errors) {
    std::string text = error.type;
    for (const auto& step : error.loc) text += " " + std::get<std::string>(step);
    said.push_back(text);
  }
  return said;
}

TEST(NotificationPreferences, are_known_types_with_true_or_false) {
  EXPECT_TRUE(refusals({}).empty());
  EXPECT_TRUE(refusals(with("null")).empty()) << "which removes them";
  EXPECT_TRUE(refusals(with("{}")).empty());
  for (const auto& kind : kNotificationKinds) {
    const std::string name(kind.name);
    EXPECT_TRUE(refusals(with("{\"" + name + "\":false}")).empty()) << name;
    EXPECT_TRUE(refusals(with("{\"" + name + "\":true}")).empty()) << name;
    EXPECT_EQ(refusals(with("{\"" + name + "\":0}")),
              std::vector<std::string>{"bool_type notifications " + name});
  }
}

TEST(NotificationPreferences, of_another_form_are_refused_each_with_its_place) {
  for (const char* wrong : {"[]", "true", "\"task.approved\"", "1"})
    EXPECT_EQ(refusals(with(wrong)), std::vector<std::string>{"object_type notifications"});
  EXPECT_EQ(refusals(with(R"({"task.aproved":false,"task.approved":null,"batch.rejected":"no"})")),
            (std::vector<std::string>{"bool_type notifications batch.rejected",
                                      "bool_type notifications task.approved",
                                      "unknown_type notifications task.aproved"}));
}

TEST(NotificationPreferences, mute_what_is_false) {
  EXPECT_TRUE(codec::muted_types({}).empty());
  EXPECT_TRUE(codec::muted_types(with(R"({"task.approved":true})")).empty());
  EXPECT_EQ(codec::muted_types(
                with(R"({"comment.mention":false,"task.approved":false,"task.rejected":true})")),
            (std::vector<Type>{Type::task_approved, Type::comment_mention}));
}

// The key was free once: a log may hold anything there.
TEST(NotificationPreferences, of_before_they_meant_something_mute_nothing) {
  for (const char* old : {"null", "[false]", "false", R"({"task.approved":0,"other":false})"})
    EXPECT_TRUE(codec::muted_types(with(old)).empty()) << old;
}

}  // namespace
}  // namespace annolog::testing::notification_preferences_test
