// Commands between processes: every alternative keeps every field, and is called what it was
// called yesterday, since nodes of two versions run side by side during an update.
#include "commands/wire/command_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "commands/wire/names.hpp"
#include "domain/codec/domain_json.hpp"
#include "tests/unit/domain/codec/samples.hpp"

namespace annolog::commands::command_json_test {
namespace {

using codec::CodecError;
using ::testing::HasSubstr;

// In the order of the list of commands. A name that changes is another command to a node that
// still runs the last version: add to this table, never change it.
const std::vector<std::string> kCommandNames{"create_user",
                                             "rename_user",
                                             "change_user_role",
                                             "deactivate_user",
                                             "activate_user",
                                             "change_user_group",
                                             "change_preferences",
                                             "reset_password",
                                             "unlink_oidc",
                                             "record_user_export",
                                             "erase_user",
                                             "sign_in",
                                             "sign_in_by_oidc",
                                             "sign_out_everywhere",
                                             "change_password",
                                             "refresh_session",
                                             "end_session",
                                             "create_api_key",
                                             "revoke_api_key",
                                             "note_api_key_use",
                                             "create_group",
                                             "update_group",
                                             "delete_group",
                                             "invite",
                                             "resend_invitation",
                                             "revoke_invitation",
                                             "accept_invitation",
                                             "reserve_name",
                                             "confirm_name",
                                             "release_name",
                                             "create_project",
                                             "update_project",
                                             "rename_class",
                                             "add_member",
                                             "change_member_role",
                                             "remove_member",
                                             "check_link_allowed",
                                             "record_export",
                                             "create_dataset",
                                             "start_upload",
                                             "complete_upload",
                                             "register_items",
                                             "link_dataset",
                                             "advance_link",
                                             "read_link_window",
                                             "read_link",
                                             "create_tasks",
                                             "take_next_task",
                                             "lock_task",
                                             "unlock_task",
                                             "add_annotations",
                                             "update_annotation",
                                             "delete_annotation",
                                             "submit_for_review",
                                             "approve_task",
                                             "reject_task",
                                             "accept_rejection",
                                             "reopen_task",
                                             "skip_task",
                                             "create_batch",
                                             "update_batch",
                                             "delete_batch",
                                             "add_batch_tasks",
                                             "remove_batch_tasks",
                                             "move_batch",
                                             "reset_batch",
                                             "change_batches",
                                             "reassign_batches",
                                             "distribute_batches",
                                             "free_name",
                                             "transfer_project",
                                             "delete_project",
                                             "read_removal",
                                             "finish_removal",
                                             "start_guide_asset",
                                             "complete_guide_asset",
                                             "delete_guide_asset",
                                             "forget_links",
                                             "restore_annotation",
                                             "add_comment",
                                             "delete_comment",
                                             "update_dataset",
                                             "delete_dataset",
                                             "delete_item",
                                             "remove_items",
                                             "empty_dataset",
                                             "measure_items",
                                             "note_sizes_passed_on",
                                             "record_thumbnail",
                                             "record_thumbnail_failure",
                                             "read_dataset_chores",
                                             "measure_tasks",
                                             "unlink_dataset",
                                             "remove_dataset_tasks",
                                             "drop_link",
                                             "finish_unlinking",
                                             "read_unlinking",
                                             "import_annotations",
                                             "start_backfill",
                                             "cancel_backfill",
                                             "advance_backfill",
                                             "read_backfill",
                                             "read_item",
                                             "expire_locks",
                                             "record_request",
                                             "read_notifications",
                                             "read_all_notifications",
                                             "start_audit_archive",
                                             "cancel_job",
                                             "claim_job",
                                             "advance_job",
                                             "complete_job",
                                             "fail_job",
                                             "purge_jobs",
                                             "create_webhook",
                                             "update_webhook",
                                             "rotate_webhook_secret",
                                             "delete_webhook",
                                             "test_webhook",
                                             "replay_webhook_delivery",
                                             "disable_webhook"};

constexpr std::size_t kCutStep = 13;

std::vector<Command> samples(bool full) {
  std::vector<Command> commands;
  boost::mp11::mp_for_each<boost::mp11::mp_iota_c<std::variant_size_v<AnyCommand>>>([&](auto i) {
    using C = std::variant_alternative_t<decltype(i)::value, AnyCommand>;
    commands.emplace_back(annolog::testing::Filler(full).make<C>());
  });
  return commands;
}

Command there_and_back(const Command& command) {
  return command_from_json(command_name(command), to_json(command));
}

TEST(CommandJson, the_names_are_those_of_the_last_version) {
  std::vector<std::string> names;
  for (const Command& command : samples(false)) names.push_back(command_name(command));
  EXPECT_EQ(names, kCommandNames);
  EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size()) << "a name is used twice";
}

TEST(CommandJson, names_follow_from_types) {
  EXPECT_EQ(wire_name<CreateUser>(), "create_user");
  EXPECT_EQ(wire_name<ReadLinkWindow>(), "read_link_window");
  EXPECT_EQ((WireNames<std::variant<LockTask, CreateUser>>::all()),
            (std::array<std::string, 2>{"lock_task", "create_user"}));
}

TEST(CommandJson, every_command_keeps_all_its_fields) {
  for (const Command& command : samples(true)) {
    SCOPED_TRACE(command_name(command));
    const Command back = there_and_back(command);
    EXPECT_EQ(back.index(), command.index());
    EXPECT_EQ(to_json(back), to_json(command));
  }
}

TEST(CommandJson, every_command_stays_as_empty_as_it_was) {
  for (const Command& command : samples(false)) {
    SCOPED_TRACE(command_name(command));
    const Command back = there_and_back(command);
    EXPECT_EQ(back.index(), command.index());
    EXPECT_EQ(to_json(back), to_json(command));
  }
}

TEST(CommandJson, what_is_made_without_filling_anything_is_valid_json_too) {
  boost::mp11::mp_for_each<boost::mp11::mp_iota_c<std::variant_size_v<AnyCommand>>>([](auto i) {
    const Command command = std::variant_alternative_t<decltype(i)::value, AnyCommand>{};
    EXPECT_NO_THROW(there_and_back(command)) << command_name(command);
  });
}

// What the text alone can't tell apart.
TEST(CommandJson, absent_null_and_a_value_stay_three_things) {
  UpdateAnnotation wish;
  wish.confidence = Patch<double>::null();
  wish.group_id = Patch<std::int64_t>(std::int64_t{7});
  auto back = std::get<UpdateAnnotation>(there_and_back(wish));
  EXPECT_TRUE(back.confidence.is_null());
  EXPECT_EQ(back.group_id.value(), 7);
  EXPECT_FALSE(back.expected_version);
  wish.confidence = {};
  wish.expected_version.emplace();
  back = std::get<UpdateAnnotation>(there_and_back(wish));
  EXPECT_TRUE(back.confidence.absent());
  ASSERT_TRUE(back.expected_version) << "no version will do: not any";
  EXPECT_TRUE(back.expected_version->empty());
}

TEST(CommandJson, numbers_come_back_to_the_last_bit) {
  AddAnnotations wish{TaskId{1}, {Shape{}}, false};
  wish.shapes[0].geometry = Bbox{0.1, 1.0 / 3, 1e-17, 0.30000000000000004};
  wish.shapes[0].attributes = {{"whole", 2.0}, {"large", 1e300}, {"text", std::string("1")}};
  wish.shapes[0].group_id = std::numeric_limits<std::int64_t>::min();
  wish.task_id = TaskId{std::numeric_limits<std::int64_t>::max()};
  const auto back = std::get<AddAnnotations>(there_and_back(wish));
  EXPECT_EQ(back.task_id, wish.task_id);
  EXPECT_EQ(back.shapes.at(0).geometry, wish.shapes[0].geometry);
  EXPECT_EQ(back.shapes.at(0).attributes, wish.shapes[0].attributes);
  EXPECT_EQ(back.shapes.at(0).group_id, wish.shapes[0].group_id);
  EXPECT_FALSE(back.submit);
}

TEST(CommandJson, each_kind_of_geometry_stays_what_it_is) {
  for (const Geometry& geometry :
       {Geometry{Bbox{1, 2, 3, 4}}, Geometry{Polygon{{{1, 2}, {3, 4}}}},
        Geometry{KeypointSet{{{"nose", 0.5, 0.25, false}}}}, Geometry{Polygon{}},
        Geometry{VideoBbox{7, 0.1, 0.2, 0.3, 0.4}},
        Geometry{
            VideoTrack{"t1", {{3, {0.1, 0.2, 0.3, 0.4}, KeyframeSource::prediction, false, true}}}},
        Geometry{VideoTrack{}}}) {
    AddAnnotations wish{TaskId{1}, {Shape{}}, true};
    wish.shapes[0].geometry = geometry;
    const auto back = std::get<AddAnnotations>(there_and_back(wish));
    EXPECT_EQ(back.shapes.at(0).geometry, geometry) << to_json(wish);
  }
}

TEST(CommandJson, an_unknown_name_is_refused) {
  for (const std::string name : {"", "CreateUser", "create_users", "create_user ", "monostate"}) {
    try {
      command_from_json(name, "{}");
      FAIL() << name;
    } catch (const CodecError& error) {
      EXPECT_THAT(error.what(), HasSubstr("no command is called " + name));
    }
  }
}

TEST(CommandJson, a_cut_command_is_refused) {
  for (const Command& command : samples(true)) {
    const std::string text = to_json(command);
    for (std::size_t size = 0; size < text.size(); size += kCutStep)
      EXPECT_THROW(command_from_json(command_name(command), text.substr(0, size)), CodecError)
          << command_name(command) << " cut at " << size;
  }
}

TEST(CommandJson, a_body_that_does_not_fit_is_refused) {
  for (const std::string text :
       {"", "null", "[]", "7", R"("text")", R"({"task_id":"7"})", R"({"task_id":7.5})",
        R"({"task_id":null})", R"({"task_id":99999999999999999999})", "{\"task_id\":7}\xFF"})
    EXPECT_THROW(command_from_json("lock_task", text), CodecError) << text;
  EXPECT_THROW(command_from_json("create_user", to_json(LockTask{TaskId{7}})), CodecError);
}

TEST(CommandJson, a_word_or_a_member_of_a_later_version) {
  EXPECT_THROW(
      command_from_json("add_member",
                        R"({"project_id":1,"user_id":2,"role":"king","global_role":"viewer"})"),
      CodecError);
  const auto known = command_from_json("lock_task", R"({"task_id":7,"since_version_9":[1]})");
  EXPECT_EQ(std::get<LockTask>(known).task_id, TaskId{7});
}

}  // namespace
}  // namespace annolog::commands::command_json_test
