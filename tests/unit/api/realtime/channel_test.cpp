#include "api/realtime/channel.hpp"

#include <gtest/gtest.h>

namespace annolog::api::realtime::channel_test {
namespace {

using Kind = Channel::Kind;

struct Named {
  const char* name;
  Channel channel;
};

TEST(Channels, have_the_names_of_the_specification) {
  const Named rows[] = {
      {"project:12:annotation", {Kind::annotation, 12}},
      {"project:12:preannotate", {Kind::preannotate, 12}},
      {"task:9007199254740991:lock", {Kind::task_lock, kMaxId}},
      {"global:prediction-jobs", {Kind::prediction_jobs, 0}},
      {"video-tracker-job:5", {Kind::tracker_job, 5}},
      {"user:1:notify", {Kind::notify, 1}},
  };
  for (const auto& [name, channel] : rows) {
    EXPECT_EQ(channel_of(name), channel) << name;
    EXPECT_EQ(name_of(channel), name);
  }
}

TEST(Channels, have_a_rule_each_in_the_order_of_their_kinds) {
  for (std::size_t i = 0; i < channel_rules().size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(channel_rules()[i].kind), i);
  EXPECT_EQ(channel_rules().size(), 6U);
}

TEST(Channels, of_other_names_do_not_exist) {
  for (const char* name : {"",
                           "project",
                           "project:",
                           "project::annotation",
                           "project:0:annotation",
                           "project:01:annotation",
                           "project:-1:annotation",
                           "project:+1:annotation",
                           "project:1:annotations",
                           "project:1:lock",
                           "project: 1:annotation",
                           "project:1 :annotation",
                           "project:9007199254740992:annotation",
                           "project:99999999999999999999:annotation",
                           "project:1:annotation ",
                           "Project:1:annotation",
                           "global:prediction-jobs:1",
                           "video-tracker-job:",
                           "video-tracker-job:x",
                           "user:1",
                           "task:1:lock:lock"}) {
    EXPECT_EQ(channel_of(name), std::nullopt) << name;
  }
}

}  // namespace
}  // namespace annolog::api::realtime::channel_test
