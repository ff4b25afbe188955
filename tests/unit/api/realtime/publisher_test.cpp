// Frames of jobs, as later work will publish them: from records of the log, once the read models
// show them.
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "tests/unit/api/realtime/stage.hpp"

namespace annolog::api::realtime::publisher_test {
namespace {

using nlohmann::json;

struct Published {
  Channel channel;
  const char* name;
  const char* own;  // the socket of this channel alone
  bool is_wrapped;  // there, too; such a socket outlives the job
};
const Published kProject = {
    {Channel::Kind::preannotate, 1}, "project:1:preannotate", "/ws/projects/1/preannotate", false};
const Published kTracker = {
    {Channel::Kind::tracker_job, 1}, "video-tracker-job:1", "/ws/video-tracker-jobs/1", false};
const Published kAllJobs = {
    {Channel::Kind::prediction_jobs, 0}, "global:prediction-jobs", "/ws/prediction-jobs", true};

EventFrame progress(const Channel& channel, int i) {
  const std::string n = std::to_string(i);
  return {channel,
          {"progress", R"({"job_id":3,"i":)" + n + "}",
           R"({"current":)" + n + R"(,"total":9,"status":"running"})"}};
}

EventFrame done(const Channel& channel) {
  return {channel,
          {"done", R"({"job_id":3})", R"({"current":9,"total":9,"status":"completed"})", true}};
}

class Publishers : public ::testing::TestWithParam<Published> {
 protected:
  std::unique_ptr<WebSocketClient> listening(const std::string& after = {}) {
    auto client = stage.open("/ws?token=u1");
    client->say(subscribe_text(GetParam().name, after));
    EXPECT_EQ(client->message()["type"], "subscribed");
    return client;
  }
  std::unique_ptr<WebSocketClient> on_its_own_socket() {
    auto client = stage.open(std::string(GetParam().own) + "?token=u1");
    if (GetParam().is_wrapped) EXPECT_EQ(client->message()["type"], "subscribed");
    while (!stage.interest.wants(GetParam().channel)) std::this_thread::yield();
    return client;
  }

  const Channel channel = GetParam().channel;
  Stage stage;
};

INSTANTIATE_TEST_SUITE_P(Channels, Publishers, ::testing::Values(kProject, kTracker, kAllJobs));

TEST_P(Publishers, reach_the_listeners_of_a_channel_and_end_its_own_socket) {
  auto own = on_its_own_socket();
  auto wrapped = listening();
  stage.publishes({progress(channel, 1)});
  stage.publishes({done(channel)});
  for (const char* type : {"progress", "done"}) {
    const json frame = wrapped->message();
    EXPECT_EQ(frame["channel"], GetParam().name);
    EXPECT_EQ(frame["type"], type);
    EXPECT_EQ(frame["data"]["job_id"], 3);
  }
  if (GetParam().is_wrapped) {
    EXPECT_EQ(own->message()["type"], "progress");
    EXPECT_EQ(own->message()["type"], "done");
  } else {
    EXPECT_EQ(own->message()["status"], "running");
    EXPECT_EQ(own->message()["status"], "completed");
    EXPECT_EQ(own->close_code(), kDone);
  }
}

TEST_P(Publishers, are_heard_once_the_read_models_show_their_record) {
  auto client = listening();
  client->say(subscribe_text("task:2:lock"));
  EXPECT_EQ(client->message()["type"], "subscribed");
  const auto at = stage.commits_published({progress(channel, 1)});
  stage.happens(locked(2), 2);
  EXPECT_EQ(client->message()["channel"], "task:2:lock") << "the earlier one is not shown yet";
  stage.show(at);
  EXPECT_EQ(client->message()["channel"], GetParam().name);
}

TEST_P(Publishers, are_heard_again_by_who_missed_them) {
  std::string after;
  {
    auto client = listening();
    stage.publishes({progress(channel, 1)});
    after = client->message()["position"];
  }
  for (int i = 2; i <= 4; ++i) {
    stage.happens(locked(5));
    stage.publishes({progress(channel, i)});
  }
  auto client = listening(after);
  stage.publishes({progress(channel, 5)});
  for (int i = 2; i <= 5; ++i) EXPECT_EQ(client->message()["data"]["i"], i);
}

TEST_P(Publishers, of_other_jobs_are_not_heard) {
  auto client = listening();
  stage.publishes(
      {progress({Channel::Kind::preannotate, 5}, 1), progress({Channel::Kind::tracker_job, 5}, 1)});
  stage.publishes({progress(channel, 2)});
  EXPECT_EQ(client->message()["data"]["i"], 2);
}

TEST(PublishedFrames, of_one_record_reach_the_project_and_those_who_watch_all) {
  Stage stage;
  auto client = stage.open("/ws?token=u1");
  for (const Published& each : {kProject, kAllJobs}) {
    client->say(subscribe_text(each.name));
    EXPECT_EQ(client->message()["type"], "subscribed");
  }
  stage.publishes({progress(kProject.channel, 1), progress(kAllJobs.channel, 1)});
  const json of_project = client->message();
  EXPECT_EQ(of_project["channel"], kProject.name);
  EXPECT_EQ(of_project["position"], "p1.1-1") << "the last one on its channel";
  EXPECT_EQ(client->message()["channel"], kAllJobs.name);
}

TEST(PublishedFrames, on_a_channel_of_all_shards_name_how_far_each_of_them_is) {
  Stage stage;
  std::string after;
  {
    auto client = stage.open("/ws?token=u1");
    client->say(subscribe_text(kAllJobs.name));
    EXPECT_EQ(client->message()["type"], "subscribed");
    stage.publishes({progress(kAllJobs.channel, 1)}, 1);
    EXPECT_EQ(client->message()["position"], "p1.0-0.1-1");
    stage.publishes({progress(kAllJobs.channel, 2), progress(kAllJobs.channel, 3)}, 2);
    EXPECT_EQ(client->message()["position"], "p1.1-1.2-0")
        << "another one of the same event follows";
    after = client->message()["position"];
    EXPECT_EQ(after, "p1.1-1.2-1");
  }
  for (const std::uint16_t shard : {2, 1}) {
    const auto at = stage.publishes({progress(kAllJobs.channel, 4)}, shard);
    while (!stage.interest.passed_everywhere().covers(at)) std::this_thread::yield();
  }
  auto client = stage.open("/ws?token=u1");
  client->say(subscribe_text(kAllJobs.name, after));
  EXPECT_EQ(client->message()["type"], "subscribed");
  for (const char* position : {"p1.1-2.2-1", "p1.1-2.2-2"})
    EXPECT_EQ(client->message()["position"], position);
  stage.publishes({progress(kAllJobs.channel, 6)}, 1);
  EXPECT_EQ(client->message()["data"]["i"], 6) << "nothing of before came again";
}

TEST(PublishedFrames, go_on_where_another_channel_of_the_socket_may_not_be_seen_any_more) {
  Stage stage;
  auto own = stage.open(std::string(kAllJobs.own) + "?token=u1");
  EXPECT_EQ(own->message()["channel"], kAllJobs.name);
  own->say(subscribe_text(kProject.name));
  EXPECT_EQ(own->message()["type"], "subscribed");
  stage.rights.hide_project();
  ProjectMemberRemoved removed;
  removed.project_id = ProjectId{1};
  stage.hub.judge_again(removed);
  const json lost = own->message();
  EXPECT_EQ(lost["channel"], kProject.name);
  EXPECT_EQ(lost["code"], "FORBIDDEN");
  stage.publishes({progress(kAllJobs.channel, 1)});
  EXPECT_EQ(own->message()["data"]["i"], 1);
}

TEST(PublishedFrames, are_not_heard_by_who_may_not_see_the_project_any_more) {
  Stage stage;
  auto own = stage.open(std::string(kProject.own) + "?token=u8");
  while (!stage.interest.wants(kProject.channel)) std::this_thread::yield();
  auto client = stage.listening(kProject.name);
  client->say(subscribe_text("user:7:notify"));
  EXPECT_EQ(client->message()["type"], "subscribed");
  stage.publishes({progress(kProject.channel, 1)});
  EXPECT_EQ(client->message()["type"], "progress");
  EXPECT_EQ(own->message()["current"], 1);
  stage.rights.hide_project();
  ProjectMemberRemoved removed;
  removed.project_id = ProjectId{1};
  stage.hub.judge_again(removed);
  EXPECT_EQ(client->message()["code"], "FORBIDDEN");
  stage.publishes({progress(kProject.channel, 2)});
  const auto at = stage.commits(TaskRejected{});
  stage.notifications.put({UserId{7}, "task.rejected", R"({"id":1})", at});
  stage.show(at);
  EXPECT_EQ(client->message()["type"], "task.rejected") << "nothing came in between";
  EXPECT_EQ(own->message(), nullptr) << "one frame was all";
  EXPECT_EQ(own->close_code(), 1008);
}

}  // namespace
}  // namespace annolog::api::realtime::publisher_test
