// Whose turn it is at a writer.
#include "commands/waiting_commands.hpp"

#include <gmock/gmock.h>

#include <string>
#include <thread>

namespace annolog::commands::waiting_commands_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Envelope made(const std::string& name, UserId actor) {
  Envelope envelope;
  envelope.command = ReadLink{};
  envelope.actor = actor;
  envelope.request_id = name;
  return envelope;
}

class Waiting : public ::testing::Test {
 protected:
  void caller(const std::string& name) { push(name, UserId{7}, {}); }
  void step(const std::string& name) { push(name, kSystemUser, {}); }
  // A request of nobody's: a sign-up.
  void nobody(const std::string& name) { push(name, kSystemUser, RequestFacts{}); }

  std::vector<std::string> turn(std::size_t most = 10) {
    turn_ = waiting_.next_turn(most);
    return names();
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const Envelope& each : turn_.commands) names.push_back(each.request_id);
    return names;
  }

  WaitingCommands waiting_{4};
  WaitingCommands::Turn turn_;

 private:
  void push(const std::string& name, UserId actor, std::optional<RequestFacts> request) {
    Envelope envelope = made(name, actor);
    envelope.request = std::move(request);
    EXPECT_EQ(waiting_.push(envelope), std::nullopt);
  }
};

TEST_F(Waiting, callers_go_first_and_steps_have_the_next_turn) {
  step("s1");
  caller("c1");
  step("s2");
  nobody("c2");
  EXPECT_THAT(turn(), ElementsAre("c1", "c2"));
  EXPECT_FALSE(turn_.of_steps);
  caller("c3");
  EXPECT_THAT(turn(), ElementsAre("s1", "s2"));
  EXPECT_TRUE(turn_.of_steps);
  EXPECT_THAT(turn(), ElementsAre("c3"));
}

TEST_F(Waiting, a_turn_is_no_longer_than_asked) {
  for (const char* each : {"c1", "c2", "c3"}) caller(each);
  EXPECT_THAT(turn(2), ElementsAre("c1", "c2"));
  EXPECT_THAT(turn(2), ElementsAre("c3"));
}

TEST_F(Waiting, steps_that_gave_way_are_next_in_their_line) {
  for (const char* each : {"s1", "s2", "s3"}) step(each);
  turn();
  EXPECT_FALSE(waiting_.callers_wait());
  caller("c1");
  step("s4");
  EXPECT_TRUE(waiting_.callers_wait());
  waiting_.give_back(turn_.commands, 1);
  EXPECT_THAT(turn(), ElementsAre("c1"));
  EXPECT_THAT(turn(), ElementsAre("s2", "s3", "s4"));
}

TEST_F(Waiting, both_lines_together_have_a_limit) {
  for (const char* each : {"s1", "s2"}) step(each);
  for (const char* each : {"c1", "c2"}) caller(each);
  Envelope late = made("late", UserId{7});
  EXPECT_EQ(waiting_.push(late)->code, "OVERLOADED");
  EXPECT_EQ(late.request_id, "late");
}

TEST_F(Waiting, what_waits_at_the_close_is_given_and_nothing_more_is_taken) {
  step("s1");
  caller("c1");
  waiting_.close();
  Envelope late = made("late", UserId{7});
  EXPECT_EQ(waiting_.push(late)->code, "STOPPING");
  EXPECT_THAT(turn(), ElementsAre("c1"));
  EXPECT_THAT(turn(), ElementsAre("s1"));
  EXPECT_THAT(turn(), IsEmpty());
}

TEST_F(Waiting, whoever_waits_for_a_turn_is_woken) {
  std::thread writer([&] { EXPECT_THAT(turn(), ElementsAre("c1")); });
  caller("c1");
  writer.join();
}

}  // namespace
}  // namespace annolog::commands::waiting_commands_test
