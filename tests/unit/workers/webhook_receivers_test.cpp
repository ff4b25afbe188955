// How many connections the receivers of webhooks may have.
#include "workers/webhooks/receivers.hpp"

#include <map>
#include <vector>

#include <gtest/gtest.h>

namespace annolog::workers::webhook_receivers_test {
namespace {

using Kind = Receivers::Kind;

constexpr std::int64_t kSoon = 20, kLate = 15'000;

class ReceiversTest : public ::testing::Test {
 protected:
  // One delivery that ends.
  void hear(std::int64_t id, std::int64_t took_ms) {
    receivers_.began(WebhookId{id});
    receivers_.ended(WebhookId{id}, took_ms);
  }
  void begin(std::int64_t id, int count) {
    for (int i = 0; i < count; ++i) receivers_.began(WebhookId{id});
  }
  // So many more each of the kind may have.
  std::map<std::int64_t, std::int64_t> limits(Kind kind) const {
    std::map<std::int64_t, std::int64_t> found;
    for (const auto& limit : receivers_.room(active_, kind).limits)
      found[limit.webhook_id.value] = limit.most;
    return found;
  }
  std::size_t most(Kind kind) const { return receivers_.room(active_, kind).most; }

  std::vector<WebhookId> active_{WebhookId{1}, WebhookId{2}, WebhookId{3}};
  Receivers receivers_{16, 8};
};

using Limits = std::map<std::int64_t, std::int64_t>;

TEST_F(ReceiversTest, one_that_nobody_has_heard_of_has_one_at_a_time) {
  EXPECT_EQ(limits(Kind::unheard), (Limits{{1, 1}, {2, 1}, {3, 1}}));
  begin(1, 1);
  EXPECT_EQ(limits(Kind::unheard), (Limits{{2, 1}, {3, 1}}));
}

TEST_F(ReceiversTest, a_quarter_is_for_those_that_answered_soon) {
  EXPECT_EQ(most(Kind::unheard), 12U);
  for (std::int64_t id = 1; id <= 10; ++id) begin(id, 1);
  EXPECT_EQ(most(Kind::unheard), 2U);
  for (std::int64_t id = 11; id <= 12; ++id) begin(id, 1);
  EXPECT_EQ(most(Kind::unheard), 0U) << "those too that are active no more";
  EXPECT_EQ(most(Kind::slow), 0U);
  EXPECT_EQ(most(Kind::quick), 4U);
}

TEST_F(ReceiversTest, slow_and_unheard_ones_leave_it_together) {
  hear(1, kLate);
  begin(1, 7);
  begin(2, 1);
  EXPECT_EQ(most(Kind::slow), 1U);
  EXPECT_EQ(most(Kind::unheard), 4U);
}

TEST_F(ReceiversTest, one_that_answers_soon_has_as_many_as_one_may_have) {
  hear(1, kSoon);
  begin(1, 3);
  EXPECT_EQ(limits(Kind::quick), (Limits{{1, 5}}));
  EXPECT_EQ(most(Kind::quick), 13U);
  EXPECT_EQ(limits(Kind::unheard), (Limits{{2, 1}, {3, 1}}));
  EXPECT_EQ(limits(Kind::slow), Limits{});
}

TEST_F(ReceiversTest, those_that_hang_have_half_of_all_together) {
  hear(1, kLate);
  hear(2, kLate);
  EXPECT_EQ(limits(Kind::slow), (Limits{{1, 8}, {2, 8}}));
  EXPECT_EQ(most(Kind::slow), 8U);
  begin(1, 5);
  EXPECT_EQ(limits(Kind::slow), (Limits{{1, 3}, {2, 8}}));
  EXPECT_EQ(most(Kind::slow), 3U);
  begin(2, 3);
  EXPECT_EQ(most(Kind::slow), 0U);
  EXPECT_EQ(most(Kind::quick), 8U) << "the other half";
}

TEST_F(ReceiversTest, all_of_them_never_have_more_than_there_are) {
  hear(1, kSoon);
  hear(2, kSoon);
  hear(3, kLate);
  begin(1, 8);
  begin(2, 7);
  EXPECT_EQ(most(Kind::quick), 1U);
  EXPECT_EQ(most(Kind::slow), 1U);
  begin(3, 1);
  EXPECT_EQ(most(Kind::quick), 0U);
  EXPECT_EQ(most(Kind::slow), 0U);
}

TEST_F(ReceiversTest, what_was_heard_last_counts) {
  hear(1, kLate);
  hear(1, kSoon);
  EXPECT_EQ(limits(Kind::slow), Limits{});
  hear(1, kLate);
  EXPECT_EQ(limits(Kind::slow), (Limits{{1, 8}}));
}

TEST_F(ReceiversTest, others_than_the_active_are_forgotten_once_nothing_is_under_way) {
  hear(1, kSoon);
  hear(2, kSoon);
  begin(2, 1);
  receivers_.keep(std::vector{WebhookId{3}});
  EXPECT_EQ(limits(Kind::quick), (Limits{{2, 7}}));
  EXPECT_EQ(limits(Kind::unheard), (Limits{{1, 1}, {3, 1}}));
  receivers_.all_ended();
  receivers_.keep(std::vector{WebhookId{3}});
  EXPECT_EQ(limits(Kind::unheard), (Limits{{1, 1}, {2, 1}, {3, 1}}));
}

TEST(Receivers, the_only_connection_is_everybodys) {
  Receivers receivers(1, 1);
  const std::vector active{WebhookId{1}};
  receivers.began(active[0]);
  receivers.ended(active[0], kLate);
  EXPECT_EQ(receivers.room(active, Kind::slow).most, 1U);
}

}  // namespace
}  // namespace annolog::workers::webhook_receivers_test
