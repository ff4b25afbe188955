#include "api/realtime/event_frames.hpp"

#include <gtest/gtest.h>

#include <boost/mp11/algorithm.hpp>
#include <map>
#include <set>
#include <type_traits>

#include "api/realtime/log_frames.hpp"
#include "tests/unit/api/realtime/stage.hpp"

namespace annolog::api::realtime::event_frames_test {
namespace {

const Happened kHow{UserId{7}, Timestamp{1'750'000'000'000}};
const Timestamp kEnd{1'750'000'600'000};
const EventFrames kSource;
const ProjectId kProject{1};
const TaskId kTask{42};
const UserId kUser{8};
const std::string kAt = R"("at":"2025-06-15T15:06:40.000Z"})";

struct Row {
  Event event;
  const char* channel;
  std::string data;
};

std::string lock(const char* state, const char* expires_at = "null") {
  return std::string(R"({"task_id":42,"state":")") + state + R"(","user_id":8,"expires_at":)" +
         expires_at + "}";
}

std::string edit(const char* action, const char* annotation = "5") {
  return std::string(R"({"task_id":42,"user_id":7,"action":")") + action + R"(","annotation_id":)" +
         annotation + "," + kAt;
}

template <class E>
E about_annotation() {
  E event;
  event.project_id = kProject;
  event.task_id = kTask;
  event.annotation_id = AnnotationId{5};
  return event;
}

TaskAnnotationsAdded added(std::size_t count) {
  TaskAnnotationsAdded event{kProject, kTask, {}};
  for (std::size_t i = 0; i < count; ++i) {
    NewAnnotation annotation;
    annotation.annotation_id = AnnotationId{static_cast<std::int64_t>(5 + i)};
    event.annotations.push_back(annotation);
  }
  return event;
}

// Every type that makes frames, with one of it.
std::vector<Row> rows() {
  const char* end = R"("2025-06-15T15:16:40.000Z")";
  return {
      {TaskTaken{kProject, kTask, kUser, kEnd}, "task:42:lock", lock("locked", end)},
      {TaskLocked{kProject, kTask, kUser, kEnd}, "task:42:lock", lock("locked", end)},
      {TaskLockRenewed{kProject, kTask, kUser, kEnd}, "task:42:lock", lock("renewed", end)},
      {TaskUnlocked{kProject, kTask, kUser}, "task:42:lock", lock("released")},
      {TaskLockExpired{kProject, kTask, kUser, kEnd}, "task:42:lock", lock("expired")},
      {TaskSubmitted{kProject, kTask, kUser}, "task:42:lock", lock("released")},
      {TaskSkipped{kProject, kTask, kUser, std::nullopt}, "task:42:lock", lock("released")},
      {TaskApproved{kProject, kTask, kUser, UserId{9}}, "task:42:lock", lock("released")},
      {TaskRejected{kProject, kTask, kUser, UserId{9}, RejectReason::missing, std::nullopt},
       "task:42:lock", lock("released")},
      {added(1), "project:1:annotation", edit("created")},
      {about_annotation<AnnotationUpdated>(), "project:1:annotation", edit("updated")},
      {about_annotation<AnnotationDeleted>(), "project:1:annotation", edit("deleted")},
      {about_annotation<AnnotationRestored>(), "project:1:annotation", edit("restored")},
  };
}

TEST(EventFrames, say_what_happened_on_the_channel_that_it_concerns) {
  for (const Row& row : rows()) {
    const auto frames = frames_of(row.event, kHow);
    ASSERT_EQ(frames.size(), 1U) << row.data;
    EXPECT_EQ(name_of(frames[0].channel), row.channel);
    EXPECT_EQ(frames[0].frame.data, row.data);
    EXPECT_EQ(frames[0].frame.type,
              frames[0].channel.kind == Channel::Kind::task_lock ? "lock" : "annotation");
  }
}

TEST(EventFrames, of_all_other_events_there_are_none) {
  std::set<std::string_view> with_frames;
  for (const Row& row : rows())
    std::visit([&](const auto& e) { with_frames.insert(e.kType); }, row.event);
  boost::mp11::mp_for_each<boost::mp11::mp_transform<std::type_identity, AnyEvent>>([&](auto type) {
    using E = typename decltype(type)::type;
    if (with_frames.contains(E::kType)) {
      EXPECT_TRUE(kSource.kinds_of(E::kType).any()) << E::kType;
      return;
    }
    EXPECT_FALSE(kSource.kinds_of(E::kType).any()) << E::kType;
    EXPECT_TRUE(frames_of(Event(E{}), kHow).empty()) << E::kType;
  });
}

TEST(EventFrames, are_of_the_kind_that_their_type_says) {
  for (const Row& row : rows()) {
    const auto type = std::visit([](const auto& e) { return e.kType; }, row.event);
    const auto kind = frames_of(row.event, kHow)[0].channel.kind;
    EXPECT_EQ(kSource.kinds_of(type), ChannelKinds{kind}) << type;
  }
}

TEST(EventFrames, name_each_of_a_hundred_annotations_and_none_of_more) {
  EXPECT_EQ(frames_of(added(100), kHow).size(), 100U);
  const auto frames = frames_of(added(101), kHow);
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].frame.data, edit("created", "null"));
}

// An import adds to thousands of tasks in a row.
TEST(EventFrames, name_no_annotation_that_was_imported) {
  auto event = added(3);
  for (NewAnnotation& each : event.annotations) each.source = "import:coco";
  const auto frames = frames_of(event, kHow);
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].frame.data, edit("created", "null"));
}

// Who reconnects with the position of the first one must get the others.
TEST(EventFrames, of_one_event_only_the_last_one_names_its_position) {
  MemoryLog log;
  const commands::ShardId shard{1};
  log.append(shard, locked(42));
  log.append(shard, added(3));
  platform::SystemClock clock;
  platform::Logger logger(clock, platform::LogLevel::error, [](std::string_view) {});
  std::vector<Delivery> deliveries;
  for (const auto& record : log.read(shard, {}, 10))
    add_frames_of(record, kSource, [](const Channel&) { return true; }, {}, logger, deliveries);
  std::vector<std::string> positions;
  for (const auto& each : deliveries)
    positions.push_back(nlohmann::json::parse(each.text->wrapped)["position"]);
  EXPECT_EQ(positions, (std::vector<std::string>{"p1.1-1", "p1.1-1", "p1.1-1", "p1.1-2"}));
}

TEST(EventFrames, that_nobody_wants_are_not_made) {
  MemoryLog log;
  log.append(commands::ShardId{1}, locked(42));
  platform::SystemClock clock;
  platform::Logger logger(clock, platform::LogLevel::error, [](std::string_view) {});
  std::vector<Delivery> deliveries;
  add_frames_of(
      log.read(commands::ShardId{1}, {}, 1).front(), kSource,
      [](const Channel& channel) { return channel.id == 43; }, {}, logger, deliveries);
  EXPECT_TRUE(deliveries.empty());
}

}  // namespace
}  // namespace annolog::api::realtime::event_frames_test
