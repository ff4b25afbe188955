// Who may listen to which channel, by the directory and by the read models as they are.
#include "api/realtime/rights.hpp"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "tests/integration/projections/samples.hpp"
#include "tests/integration/projections/world.hpp"

namespace annolog::api::realtime::rights_test {
namespace {

using projections::testing::kShards;
using projections::testing::World;

constexpr ProjectId kSeen{5}, kHidden{9}, kArchived{13};  // of one shard, as all that is in them
constexpr std::int64_t kOwner = 7, kViewer = 8, kStranger = 10, kSuper = 11;
constexpr std::int64_t kTaskSeen = 101, kTaskHidden = 105;
constexpr std::int64_t kTracked = 21, kTrackedHidden = 25, kTrackedArchived = 29, kPredicted = 33,
                       kOfNoProject = 37, kJustQueued = 45;

JobQueued queued(std::int64_t id, JobKind kind, std::optional<ProjectId> project) {
  return {JobId{id}, kind, project, {"{}"}};
}

class ChannelRights : public ::testing::Test {
 protected:
  void SetUp() override {
    ANNOLOG_NEEDS_POSTGRESQL();
    world_.emplace();
    for (const auto& [id, role] : {std::pair{kOwner, Role::project_admin},
                                   {kViewer, Role::viewer},
                                   {kStranger, Role::annotator},
                                   {kSuper, Role::super_admin}})
      put(UserId{id}, role);
    for (const ProjectId project : {kSeen, kHidden, kArchived})
      directory_.put(project,
                     {UserId{project == kHidden ? 12 : kOwner},
                      project == kArchived ? ProjectStatus::archived : ProjectStatus::in_progress,
                      {}});
    for (const ProjectId project : {kSeen, kArchived})
      directory_.put_member(project, UserId{kViewer}, Role::viewer);
    using projections::testing::tasks_created;
    world_->append(1, {tasks_created(kTaskSeen, 1, kSeen), tasks_created(kTaskHidden, 1, kHidden),
                       queued(kTracked, JobKind::video_tracker, kSeen),
                       queued(kTrackedHidden, JobKind::video_tracker, kHidden),
                       queued(kTrackedArchived, JobKind::video_tracker, kArchived),
                       queued(kPredicted, JobKind::batch_predict, kSeen),
                       queued(kOfNoProject, JobKind::video_tracker, std::nullopt)});
    world_->start();
    world_->settle();
    tasks_.emplace(*world_->pool, threads_, world_->clock);
    second_look_.emplace(
        SecondLook::Parts{world_->barrier, threads_, world_->logger,
                          [this](commands::ShardId shard, std::chrono::milliseconds) {
                            return world_->log->end(shard);
                          },
                          kShards, std::chrono::seconds(20)});
    rights_.emplace(DirectoryRights::Parts{directory_, *tasks_, *world_->pool, threads_,
                                           *second_look_, world_->barrier, kShards});
  }
  void TearDown() override { threads_.stop(std::chrono::seconds(20)); }

  void put(UserId id, Role role) {
    KnownUser user;
    user.brief.id = id;
    user.role = role;
    directory_.put(user);
  }

  // "" or the code of the refusal.
  std::string admitted(std::int64_t user, const std::string& channel) {
    boost::asio::io_context context;
    auto code = boost::asio::co_spawn(context, ask(caller(user), channel_of(channel).value()),
                                      boost::asio::use_future);
    context.run();
    return code.get();
  }
  awaitable<std::string> ask(http::Caller caller, Channel channel) {
    const auto project = co_await rights_->admit(caller, channel);
    if (!project) co_return project.error().code;
    EXPECT_TRUE(rights_->allows(caller, channel, project.value())) << name_of(channel);
    co_return "";
  }
  http::Caller caller(std::int64_t user) const {
    http::Caller caller;
    caller.id = UserId{user};
    caller.role = directory_.user(caller.id)->role;
    return caller;
  }

  std::optional<World> world_;
  Directory directory_;
  platform::ThreadPool threads_{{.name = "reads", .threads = 2, .queue_limit = 10}};
  std::optional<TaskLoader> tasks_;
  std::optional<SecondLook> second_look_;
  std::optional<DirectoryRights> rights_;
};

struct Row {
  const char* channel;
  const char* owner;
  const char* viewer;
  const char* stranger;
  const char* super;
};
constexpr const char* kYes = "";
constexpr const char* kNone = "NOT_FOUND";
constexpr const char* kNo = "FORBIDDEN";
constexpr Row kRows[] = {
    {"project:5:annotation", kYes, kYes, kNone, kYes},
    {"project:9:annotation", kNone, kNone, kNone, kYes},
    {"project:13:annotation", kYes, kNone, kNone, kYes},
    {"project:77:annotation", kNone, kNone, kNone, kNone},
    {"project:5:preannotate", kYes, kYes, kNone, kYes},
    {"project:9:preannotate", kNone, kNone, kNone, kYes},
    {"task:101:lock", kYes, kYes, kNone, kYes},
    {"task:105:lock", kNone, kNone, kNone, kYes},
    {"task:109:lock", kNone, kNone, kNone, kNone},
    {"video-tracker-job:21", kYes, kYes, kNone, kYes},
    {"video-tracker-job:25", kNone, kNone, kNone, kYes},
    {"video-tracker-job:29", kYes, kNone, kNone, kYes},
    {"video-tracker-job:33", kNone, kNone, kNone, kNone},  // of another kind
    {"video-tracker-job:37", kNone, kNone, kNone, kNone},
    {"video-tracker-job:41", kNone, kNone, kNone, kNone},
    {"global:prediction-jobs", kNo, kNo, kNo, kYes},
    {"user:8:notify", kNo, kYes, kNo, kNo},
};

TEST_F(ChannelRights, are_those_of_the_readers_of_what_a_channel_is_about) {
  for (const Row& row : kRows) {
    EXPECT_EQ(admitted(kOwner, row.channel), row.owner) << row.channel;
    EXPECT_EQ(admitted(kViewer, row.channel), row.viewer) << row.channel;
    EXPECT_EQ(admitted(kStranger, row.channel), row.stranger) << row.channel;
    EXPECT_EQ(admitted(kSuper, row.channel), row.super) << row.channel;
  }
}

TEST_F(ChannelRights, end_with_the_membership) {
  const Channel job{Channel::Kind::tracker_job, kTracked};
  ASSERT_TRUE(rights_->allows(caller(kViewer), job, kSeen));
  ProjectMemberRemoved removed;
  removed.project_id = kSeen;
  removed.user_id = UserId{kViewer};
  directory_.apply(removed);
  EXPECT_FALSE(rights_->allows(caller(kViewer), job, kSeen));
  EXPECT_EQ(admitted(kViewer, "video-tracker-job:21"), kNone);
  EXPECT_EQ(admitted(kOwner, "video-tracker-job:21"), kYes);
}

// A job that others have queued a moment ago.
TEST_F(ChannelRights, to_a_job_are_there_once_it_can_be_read) {
  world_->append(1, {queued(kJustQueued, JobKind::video_tracker, kSeen)});
  EXPECT_EQ(admitted(kOwner, "video-tracker-job:45"), kYes);
}

TEST_F(ChannelRights, can_not_be_told_while_the_read_models_are_away) {
  projections::ReadPool away({.database_url = "host=/nowhere", .connect_ms = 100});
  rights_.emplace(DirectoryRights::Parts{directory_, *tasks_, away, threads_, *second_look_,
                                         world_->barrier, kShards});
  EXPECT_EQ(admitted(kOwner, "video-tracker-job:21"), "READ_UNAVAILABLE");
}

}  // namespace
}  // namespace annolog::api::realtime::rights_test
