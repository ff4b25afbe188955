// What members of a project are told of each event, and that nothing is told by accident.
#include "domain/codec/public_events.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "domain/codec/events.hpp"
#include "tests/unit/domain/codec/golden_files.hpp"
#include "tests/unit/domain/codec/samples.hpp"

namespace annolog::testing::public_events_test {
namespace {

std::string name_of(ClassId id) { return "class " + std::to_string(id.value); }

std::vector<std::string> words(std::string_view list) {
  std::istringstream in{std::string(list)};
  return {std::istream_iterator<std::string>(in), {}};
}

// As a golden file has it: all but what the edge adds.
std::string text_of(const codec::PublicEvent& event) {
  std::string text =
      R"({"type":")" + std::string(event.type) + R"(","version":)" + std::to_string(event.version);
  const auto add = [&](const char* name, const auto& id) {
    if (id) text += ",\"" + std::string(name) + "\":" + std::to_string(id->value);
  };
  add("task_id", event.task_id);
  add("batch_id", event.batch_id);
  add("annotation_id", event.annotation_id);
  return text + ",\"data\":" + event.data + "}\n";
}

TEST(PublicEvents, every_event_has_a_row_that_says_what_is_shown_or_why_nothing) {
  const auto catalogue = codec::event_catalogue();
  const auto rules = codec::public_rules();
  ASSERT_EQ(rules.size(), catalogue.size());
  for (std::size_t i = 0; i < rules.size(); ++i) {
    EXPECT_EQ(rules[i].type, catalogue[i].type);
    EXPECT_EQ(rules[i].is_public(), rules[i].reason.empty()) << rules[i].type;
    if (!rules[i].is_public()) EXPECT_TRUE(rules[i].shows.empty()) << rules[i].type;
  }
}

TEST(PublicEvents, what_a_row_shows_is_there_once_and_never_of_the_envelope) {
  const std::set<std::string> envelope{"project_id", "task_id", "batch_id", "annotation_id"};
  for (const Event& event : sample_events(true)) {
    const auto members = nlohmann::json::parse(codec::encode_event(event).data);
    std::set<std::string> seen;
    for (const std::string& name : words(codec::public_rule(event).shows)) {
      EXPECT_TRUE(members.contains(name)) << codec::public_rule(event).type << " " << name;
      EXPECT_TRUE(seen.insert(name).second) << name;
      EXPECT_FALSE(envelope.contains(name)) << name;
    }
  }
}

TEST(PublicEvents, only_events_of_a_project_are_public) {
  for (const Event& event : sample_events(true)) {
    if (!codec::public_rule(event).is_public()) continue;
    const auto members = nlohmann::json::parse(codec::encode_event(event).data);
    EXPECT_TRUE(members.contains("project_id")) << codec::public_rule(event).type;
    EXPECT_EQ(members.dump().find("key_id"), std::string::npos) << "sealed text";
  }
}

TEST(PublicEvents, a_private_event_has_no_public_form) {
  EXPECT_FALSE(codec::public_event(UserSignedIn{UserId{3}}, name_of));
  EXPECT_FALSE(codec::public_event(ProjectDeleted{ProjectId{3}}, name_of));
}

TEST(PublicEvents, every_public_type_is_shown_as_its_golden_file_has_it) {
  for (const Event& event : sample_events(true)) {
    const auto shown = codec::public_event(event, name_of);
    if (!shown) continue;
    const std::string path = "tests/golden/public_events/" + std::string(shown->type) + ".v" +
                             std::to_string(shown->version) + ".json";
    const std::string text = text_of(*shown);
    EXPECT_EQ(golden(path, text), text)
        << path << ": others read it; new members are fine, else raise the version";
  }
}

TEST(PublicEvents, the_documentation_names_every_public_type_and_no_other) {
  const auto text = read_file(source_file("docs/change-feed.md"));
  ASSERT_TRUE(text);
  for (const auto& rule : codec::public_rules()) {
    const bool listed = text->find("| `" + std::string(rule.type) + "` | ") != std::string::npos;
    EXPECT_EQ(listed, rule.is_public()) << rule.type;
  }
}

TEST(PublicEvents, data_is_an_object_whatever_is_missing) {
  for (const bool full : {true, false}) {
    for (const Event& event : sample_events(full)) {
      const auto shown = codec::public_event(event, name_of);
      if (shown) EXPECT_TRUE(nlohmann::json::parse(shown->data).is_object()) << shown->data;
    }
  }
}

TEST(PublicEvents, an_update_shows_only_what_changed) {
  ProjectUpdated event;
  event.project_id = ProjectId{5};
  event.review_required = true;
  EXPECT_EQ(codec::public_event(event, name_of)->data, R"({"review_required":true})");
}

TEST(PublicEvents, a_comment_is_told_without_its_text) {
  const CommentAdded event{ProjectId{5}, TaskId{6}, CommentId{7}, AnnotationId{8},
                           UserId{9},    "secret",  {UserId{3}}};
  const auto shown = codec::public_event(event, name_of);
  EXPECT_EQ(shown->data, R"({"comment_id":7,"author_id":9,"mentions":[3]})");
  EXPECT_EQ(shown->annotation_id, AnnotationId{8});
  EXPECT_EQ(shown->task_id, TaskId{6});
}

TEST(PublicEvents, a_class_that_the_event_does_not_name_is_looked_up) {
  const AnnotationDeleted event{ProjectId{5}, TaskId{6}, AnnotationId{7}, ClassId{2}, 3, false};
  EXPECT_TRUE(codec::asks_for_class_names(event));
  EXPECT_EQ(codec::public_event(event, name_of)->data,
            R"({"class_id":2,"version":3,"reviewer_edit":false,"class_name":"class 2"})");
  EXPECT_FALSE(codec::asks_for_class_names(TaskUnlocked{ProjectId{5}, TaskId{6}, UserId{9}}));
}

}  // namespace
}  // namespace annolog::testing::public_events_test
