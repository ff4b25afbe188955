// The binary form of the shard state: exact, deterministic, and safe against any bytes.
#include <gtest/gtest.h>

#include <random>

#include "domain/codec/binary.hpp"
#include "domain/dataset/state.hpp"
#include "domain/project/state.hpp"
#include "domain/task/state.hpp"
#include "domain/user/commands.hpp"
#include "tests/unit/domain/codec/samples.hpp"

namespace annolog::testing::binary_test {
namespace {

ProjectState project() {
  const auto created = Filler(true).make<ProjectCreated>();
  ProjectState state;
  evolve(state, created, {UserId{1}, Timestamp{5}});
  state.members[UserId{3}] = {Role::reviewer, Timestamp{6}};
  state.members[UserId{-1}] = {Role::viewer, Timestamp{-7}};
  return state;
}

template <class T>
void round_trips(const T& value) {
  const auto bytes = codec::to_binary(value);
  EXPECT_EQ(codec::from_binary<T>(bytes), value);
  EXPECT_EQ(codec::to_binary(codec::from_binary<T>(bytes)), bytes);
}

TEST(Binary, states_round_trip) {
  for (const bool full : {true, false}) {
    round_trips(Filler(full).make<TaskState>());
    round_trips(Filler(full).make<AnnotationState>());
    round_trips(Filler(full).make<ItemState>());
    round_trips(Filler(full).make<UserState>());
    round_trips(Filler(full).make<NameReserved>());
  }
  round_trips(project());
}

TEST(Binary, events_round_trip) {
  for (const auto& event : sample_events(true)) round_trips(event);
  for (const auto& event : sample_events(false)) round_trips(event);
}

TEST(Binary, numbers_at_their_ends) {
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{63}, std::int64_t{64}, std::int64_t{-64},
        std::int64_t{-65}, kMaxId, std::numeric_limits<std::int64_t>::max(),
        std::numeric_limits<std::int64_t>::min()}) {
    round_trips(value);
  }
  for (const double value : {0.0, -0.0, 0.1, -1e308, 5e-324}) {
    EXPECT_EQ(codec::to_binary(codec::from_binary<double>(codec::to_binary(value))),
              codec::to_binary(value));
  }
  round_trips(std::numeric_limits<double>::infinity());
}

TEST(Binary, the_same_value_has_the_same_bytes) {
  EXPECT_EQ(codec::to_binary(project()), codec::to_binary(project()));
  Attributes one{{"b", 1.0}, {"a", true}};
  Attributes other{{"a", true}, {"b", 1.0}};
  EXPECT_EQ(codec::to_binary(one), codec::to_binary(other));
}

template <class T>
void refuses_every_truncation(const T& value) {
  const auto bytes = codec::to_binary(value);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(codec::from_binary<T>(std::string_view(bytes).substr(0, size)), codec::BinaryError)
        << size << " of " << bytes.size();
  }
  EXPECT_THROW(codec::from_binary<T>(bytes + '\0'), codec::BinaryError);
}

TEST(Binary, a_value_cut_anywhere_is_refused) {
  refuses_every_truncation(Filler(true).make<TaskState>());
  refuses_every_truncation(Filler(true).make<AnnotationState>());
  refuses_every_truncation(project());
}

// Whatever the bytes: a value or BinaryError, and no more memory than the bytes account for.
template <class T>
void survives(std::string bytes, std::mt19937_64& random) {
  for (int round = 0; round < 2000; ++round) {
    std::string garbled = bytes;
    const auto changes = 1 + random() % 4;
    for (std::uint64_t i = 0; i < changes; ++i) {
      garbled[random() % garbled.size()] = static_cast<char>(random());
    }
    try {
      (void)codec::from_binary<T>(garbled);
    } catch (const codec::BinaryError&) {
    }
  }
}

TEST(Binary, garbage_never_crashes) {
  std::mt19937_64 random(20'260'101);
  survives<TaskState>(codec::to_binary(Filler(true).make<TaskState>()), random);
  survives<AnnotationState>(codec::to_binary(Filler(true).make<AnnotationState>()), random);
  survives<ProjectState>(codec::to_binary(project()), random);
  survives<Event>(codec::to_binary(Event(Filler(true).make<TaskAnnotationsAdded>())), random);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(random() % 200, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    try {
      (void)codec::from_binary<Event>(bytes);
    } catch (const codec::BinaryError&) {
    }
  }
}

TEST(Binary, a_count_beyond_the_bytes_is_refused_before_memory_is_taken) {
  const std::string huge("\xFF\xFF\xFF\xFF\x7F", 5);
  EXPECT_THROW(codec::from_binary<std::vector<std::string>>(huge), codec::BinaryError);
  EXPECT_THROW(codec::from_binary<std::string>(huge), codec::BinaryError);
  EXPECT_THROW(codec::from_binary<std::int64_t>(std::string(11, '\xFF')), codec::BinaryError);
}

}  // namespace
}  // namespace annolog::testing::binary_test
