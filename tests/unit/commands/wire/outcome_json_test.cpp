// Outcomes between processes: every reply and every refusal comes back as it was given.
#include "commands/wire/outcome_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "commands/wire/names.hpp"
#include "domain/codec/domain_json.hpp"
#include "tests/unit/domain/codec/samples.hpp"

namespace annolog::commands::outcome_json_test {
namespace {

using codec::CodecError;
using eventstore::Offset;
using eventstore::Position;
using eventstore::ShardId;

// In the order of the list of replies; see the table of commands.
const std::vector<std::string> kReplyNames{"monostate",
                                           "user_reply",
                                           "session_reply",
                                           "api_key_state",
                                           "group_state",
                                           "invitation_state",
                                           "name_reserved",
                                           "project_view",
                                           "member_view",
                                           "dataset_view",
                                           "item_view",
                                           "task_view",
                                           "annotation_view",
                                           "annotations_added",
                                           "lock_granted",
                                           "no_task",
                                           "tasks_made",
                                           "items_registered_reply",
                                           "link_window",
                                           "link_progress",
                                           "batch_view",
                                           "bulk_outcome",
                                           "distribute_outcome",
                                           "guide_asset_view",
                                           "remains",
                                           "comment_view",
                                           "dataset_chores",
                                           "items_measured",
                                           "import_outcome",
                                           "backfill_state",
                                           "notifications_read",
                                           "job_state",
                                           "webhook_state",
                                           "webhook_pinged"};

constexpr std::size_t kCutStep = 13;

std::vector<Reply> replies(bool full) {
  std::vector<Reply> all;
  boost::mp11::mp_for_each<boost::mp11::mp_iota_c<std::variant_size_v<AnyReply>>>([&](auto i) {
    using R = std::variant_alternative_t<decltype(i)::value, AnyReply>;
    if constexpr (std::is_same_v<R, std::monostate>) {
      all.emplace_back(std::monostate{});
    } else {
      all.emplace_back(annolog::testing::Filler(full).make<R>());
    }
  });
  return all;
}

DomainError refusal() { return {DomainError::Kind::conflict, "A_CODE", "A sentence.", {}, {}, 0}; }

DomainError there_and_back(const DomainError& error) {
  const Outcome back = outcome_from_json(to_json({error, std::nullopt, false}));
  if (!back.reply) return back.reply.error();
  ADD_FAILURE() << "a refusal became a reply";
  return {};
}

TEST(OutcomeJson, the_names_are_those_of_the_last_version) {
  const auto& names = WireNames<AnyReply>::all();
  EXPECT_THAT(names, ::testing::ElementsAreArray(kReplyNames));
  EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size()) << "a name is used twice";
}

TEST(OutcomeJson, every_reply_keeps_all_its_fields) {
  for (const bool full : {true, false})
    for (const Reply& reply : replies(full)) {
      SCOPED_TRACE(kReplyNames.at(reply.index()));
      const Outcome outcome{reply, Position{ShardId{3}, Offset{41}}, true};
      const Outcome back = outcome_from_json(to_json(outcome));
      ASSERT_TRUE(back.reply);
      EXPECT_EQ(back.reply.value().index(), reply.index());
      EXPECT_EQ(to_json(back), to_json(outcome));
    }
}

TEST(OutcomeJson, position_and_replay_come_back) {
  const Position last{ShardId{std::numeric_limits<std::uint16_t>::max()},
                      Offset{std::numeric_limits<std::uint64_t>::max()}};
  for (const bool replayed : {false, true})
    for (const std::optional<Position>& at :
         {std::optional<Position>{}, std::optional(Position{}), std::optional(last)}) {
      const Outcome back = outcome_from_json(to_json({Reply{}, at, replayed}));
      EXPECT_EQ(back.position, at);
      EXPECT_EQ(back.replayed, replayed);
      EXPECT_EQ(outcome_from_json(to_json({Reply{}, Position{}, replayed, true, at})).row, at);
    }
  const Outcome refused = outcome_from_json(to_json({refusal(), last, false}));
  EXPECT_EQ(refused.position, last);
}

TEST(OutcomeJson, every_kind_of_refusal) {
  for (int kind = 0; kind <= static_cast<int>(DomainError::Kind::unavailable); ++kind) {
    DomainError error = refusal();
    error.kind = static_cast<DomainError::Kind>(kind);
    error.retry_after_s = kind * 7;
    EXPECT_EQ(there_and_back(error), error);
  }
}

// Numbers of kinds are sent: a kind put in between would be read as another one.
TEST(OutcomeJson, the_numbers_of_kinds_are_those_of_the_last_version) {
  using Kind = DomainError::Kind;
  const std::vector<Kind> kinds{Kind::bad_request,
                                Kind::unauthenticated,
                                Kind::forbidden,
                                Kind::not_found,
                                Kind::conflict,
                                Kind::gone,
                                Kind::precondition_failed,
                                Kind::too_large,
                                Kind::invalid,
                                Kind::limited,
                                Kind::unavailable};
  for (std::size_t i = 0; i < kinds.size(); ++i) EXPECT_EQ(static_cast<std::size_t>(kinds[i]), i);
}

TEST(OutcomeJson, every_type_of_detail) {
  DomainError error = refusal();
  error.detail = {{"none", nullptr},
                  {"yes", true},
                  {"no", false},
                  {"least", std::numeric_limits<std::int64_t>::min()},
                  {"most", std::numeric_limits<std::int64_t>::max()},
                  {"text", std::string("a \"text\"\n\xC3\xA4")},
                  {"empty text", std::string()},
                  {"texts", std::vector<std::string>{"a", ""}},
                  {"numbers", std::vector<std::int64_t>{-1, 0, 1}},
                  {"map", std::map<std::string, std::int64_t>{{"car", 3}, {"", -3}}},
                  {"empty map", std::map<std::string, std::int64_t>{}},
                  {"no", std::vector<std::string>{}}};  // order and repeated names stay
  EXPECT_EQ(there_and_back(error), error);
}

TEST(OutcomeJson, an_empty_list_of_numbers_stays_an_empty_list) {
  DomainError error = refusal();
  error.detail = {{"ids", std::vector<std::int64_t>{}}};
  EXPECT_EQ(to_json({there_and_back(error), std::nullopt, false}),
            to_json({error, std::nullopt, false}));
}

TEST(OutcomeJson, field_errors_keep_their_places) {
  const DomainError error = validation_error(
      {{{std::string("shapes"), std::int64_t{0}, std::string("geometry"), std::string("7")},
        "must be 0 to 1",
        "out_of_range"},
       {{}, "", ""},
       {{std::int64_t{-1}}, "second", "missing"}});
  EXPECT_EQ(there_and_back(error), error);
}

// Refusals quote what was sent; somebody waits for them even when that was no text at all.
TEST(OutcomeJson, bytes_that_are_no_text_do_not_keep_a_refusal_from_its_caller) {
  DomainError error = refusal();
  error.message = "found \xFF\xC3";
  error.detail = {{"name", std::string("\xE2\x28")}};
  error.errors = {{{std::string("\xFE")}, "\xFF", "t"}};
  const DomainError back = there_and_back(error);
  EXPECT_EQ(back.code, error.code);
  EXPECT_EQ(back.message, "found \xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(OutcomeJson, what_another_version_wrote_is_refused) {
  const std::string position = R"("shard":1,"offset":2,"replayed":false)";
  for (const std::string text :
       {"",
        "{}",
        "null",
        "[]",
        "{\"replayed\":false}",
        R"({"replayed":false,"name":"no_task"})",
        R"({"replayed":false,"name":"brand_new","reply":{}})",
        R"({"replayed":false,"name":"","reply":null})",
        R"({"replayed":false,"name":"no_task","reply":null})",
        R"({"replayed":false,"name":"no_task","reply":{}})",
        R"({"replayed":"no","name":"monostate","reply":null})",
        R"({"name":"monostate","reply":null})",
        R"({"shard":1,"replayed":false,"name":"monostate","reply":null})",
        R"({"shard":"x","offset":2,"replayed":false,"name":"monostate","reply":null})",
        R"({"replayed":false,"error":null})",
        R"({"replayed":false,"error":{}})",
        R"({"replayed":false,"error":{"kind":99,"code":"A","message":"m","detail":[],)"
        R"("errors":[],"retry_after_s":0}})",
        R"({"replayed":false,"error":{"kind":-1,"code":"A","message":"m","detail":[],)"
        R"("errors":[],"retry_after_s":0}})",
        R"({"replayed":false,"error":{"kind":1,"code":"A","message":"m","detail":[7],)"
        R"("errors":[],"retry_after_s":0}})",
        R"({"replayed":false,"error":{"kind":1,"code":"A","message":"m","detail":[["a",[1,"b"]]],)"
        R"("errors":[],"retry_after_s":0}})",
        R"({"replayed":false,"error":{"kind":1,"code":"A","message":"m","detail":[],)"
        R"("errors":[{"msg":"m"}],"retry_after_s":0}})"})
    EXPECT_THROW(outcome_from_json(text), CodecError) << text;
  EXPECT_NO_THROW(outcome_from_json("{" + position + R"(,"name":"monostate","reply":null})"));
}

TEST(OutcomeJson, a_position_that_is_none_is_refused) {
  for (const std::string position : {R"("shard":70000,"offset":2)", R"("shard":-1,"offset":2)",
                                     R"("shard":1,"offset":-2)", R"("shard":1.5,"offset":2)"})
    EXPECT_THROW(
        outcome_from_json("{" + position + R"(,"replayed":false,"name":"monostate","reply":null})"),
        CodecError)
        << position;
}

TEST(OutcomeJson, a_cut_outcome_is_refused) {
  std::vector<Outcome> outcomes;
  for (const Reply& reply : replies(true))
    outcomes.push_back({reply, Position{ShardId{1}, Offset{2}}, false});
  DomainError error = refusal();
  error.detail = {{"texts", std::vector<std::string>{"a"}}};
  error.errors = {{{std::string("a"), std::int64_t{1}}, "m", "t"}};
  outcomes.push_back({error, std::nullopt, false});
  for (const Outcome& outcome : outcomes) {
    const std::string text = to_json(outcome);
    for (std::size_t size = 0; size < text.size(); size += kCutStep)
      EXPECT_THROW(outcome_from_json(text.substr(0, size)), CodecError) << text.substr(0, size);
  }
}

}  // namespace
}  // namespace annolog::commands::outcome_json_test
