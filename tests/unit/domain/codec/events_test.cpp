// Every event type goes to JSON and comes back; every stored version ever written still decodes.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "domain/codec/events.hpp"
#include "tests/unit/domain/codec/golden_files.hpp"
#include "tests/unit/domain/codec/samples.hpp"

namespace annolog::testing::events_test {
namespace {

const std::string kFolder = "tests/golden/events";

std::string stem_of(const codec::EncodedEvent& encoded) {
  return kFolder + "/" + std::string(encoded.type) + ".v" + std::to_string(encoded.version);
}

// Without the members that are null: what a writer may leave out.
void drop_nulls(nlohmann::ordered_json& value) {
  if (value.is_object()) {
    for (auto it = value.begin(); it != value.end();) {
      it = it->is_null() ? value.erase(it) : std::next(it);
    }
  }
  for (auto& element : value) {
    if (element.is_structured()) drop_nulls(element);
  }
}

TEST(Events, every_type_round_trips) {
  for (const bool full : {true, false}) {
    for (const auto& event : sample_events(full)) {
      const auto encoded = codec::encode_event(event);
      SCOPED_TRACE(encoded.data);
      EXPECT_EQ(codec::decode_event(encoded.type, encoded.version, encoded.data), event);
    }
  }
}

TEST(Events, every_type_is_written_as_its_golden_file_has_it) {
  for (const auto& event : sample_events(true)) {
    const auto encoded = codec::encode_event(event);
    const auto path = stem_of(encoded) + ".json";
    EXPECT_EQ(golden(path, encoded.data + "\n"), encoded.data + "\n")
        << path << ": an event type is never changed; give it its next version and an upcaster";
  }
}

TEST(Events, the_required_members_are_enough) {
  for (const auto& event : sample_events(false)) {
    const auto encoded = codec::encode_event(event);
    auto json = nlohmann::ordered_json::parse(encoded.data);
    drop_nulls(json);
    const auto path = stem_of(encoded) + ".min.json";
    const auto stored = golden(path, json.dump() + "\n");
    ASSERT_EQ(stored, json.dump() + "\n") << path;
    EXPECT_EQ(codec::decode_event(encoded.type, encoded.version, *stored), event) << path;
  }
}

TEST(Events, every_golden_file_decodes) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_file(kFolder))) {
    const std::string name = entry.path().filename().string();
    const auto mark = name.rfind(".v");
    ASSERT_NE(mark, std::string::npos) << name;
    const std::string type = name.substr(0, mark);
    const int version = std::stoi(name.substr(mark + 2));
    EXPECT_NO_THROW(codec::decode_event(type, version, *read_file(entry.path()))) << name;
    ++files;
  }
  EXPECT_GE(files, 2 * codec::event_catalogue().size());
}

TEST(Events, the_catalogue_names_every_type_once) {
  std::set<std::string_view> types;
  for (const auto& entry : codec::event_catalogue()) {
    EXPECT_TRUE(types.insert(entry.type).second) << entry.type;
    EXPECT_GE(entry.version, 1);
    EXPECT_NE(entry.type.find('.'), std::string_view::npos);
  }
  EXPECT_EQ(types.size(), std::variant_size_v<AnyEvent>);
}

TEST(Events, subjects_name_the_aggregate) {
  EXPECT_EQ(codec::subject_of(UserSignedIn{UserId{3}}), "user/3");
  EXPECT_EQ(codec::subject_of(NameConfirmed{NameKind::project, 0, 4, "a"}), "name/4");
  EXPECT_EQ(codec::subject_of(ProjectMemberRemoved{ProjectId{5}, UserId{3}}), "project/5");
  EXPECT_EQ(codec::subject_of(DatasetLinked{DatasetId{6}, ProjectId{5}}), "dataset/6");
  ItemReady ready;
  ready.item_id = ItemId{7};
  EXPECT_EQ(codec::subject_of(ready), "item/7");
  EXPECT_EQ(codec::subject_of(TasksCreated{ProjectId{5}, DatasetId{6}, {}}), "project/5");
  EXPECT_EQ(codec::subject_of(TaskUnlocked{ProjectId{5}, TaskId{8}, UserId{3}}), "task/8");
  AnnotationDeleted deleted;
  deleted.annotation_id = AnnotationId{9};
  EXPECT_EQ(codec::subject_of(deleted), "annotation/9");
  CommentAdded comment;
  comment.comment_id = CommentId{4};
  comment.annotation_id = AnnotationId{9};
  EXPECT_EQ(codec::subject_of(comment), "comment/4");
  EXPECT_EQ(codec::subject_of(CommentDeleted{ProjectId{5}, TaskId{8}, CommentId{4}}), "comment/4");
}

TEST(Events, what_is_not_known_is_named) {
  EXPECT_THROW(codec::decode_event("task.vanished", 1, "{}"), codec::UnknownEvent);
  EXPECT_THROW(codec::decode_event("task.approved", 99, "{}"), codec::UnknownEvent);
  EXPECT_THROW(codec::decode_event("task.approved", 0, "{}"), codec::UnknownEvent);
  EXPECT_THROW(codec::decode_event("user.signed_in", 1, "{}"), codec::CodecError);
  EXPECT_THROW(codec::decode_event("user.signed_in", 1, "not json"), codec::CodecError);
  EXPECT_THROW(codec::decode_event("user.signed_in", 1, R"({"user_id":"3"})"), codec::CodecError);
}

TEST(Events, unknown_members_are_skipped) {
  EXPECT_EQ(codec::decode_event("user.signed_in", 1, R"({"user_id":3,"later":[1]})"),
            Event(UserSignedIn{UserId{3}}));
}

TEST(Upcasting, climbs_step_by_step_whatever_the_order_of_the_table) {
  const codec::Upcaster table[] = {
      {"a.done", 2, [](nlohmann::json& data) { data["two"] = data.at("one").get<int>() + 1; }},
      {"b.done", 1, [](nlohmann::json& data) { data["wrong"] = true; }},
      {"a.done", 1, [](nlohmann::json& data) { data["one"] = 1; }},
  };
  nlohmann::json data = nlohmann::json::object();
  EXPECT_EQ(codec::upcast(table, "a.done", 1, data), 3);
  EXPECT_EQ(data, (nlohmann::json{{"one", 1}, {"two", 2}}));
  data = {{"one", 5}};
  EXPECT_EQ(codec::upcast(table, "a.done", 2, data), 3);
  EXPECT_EQ(data.at("two"), 6);
  data = nlohmann::json::object();
  EXPECT_EQ(codec::upcast(table, "a.done", 3, data), 3);
  EXPECT_EQ(codec::upcast(table, "c.done", 1, data), 1);
  EXPECT_TRUE(data.empty());
}

TEST(Upcasting, what_is_no_object_is_refused_before_any_step) {
  for (const auto* data : {R"("text")", "[]", "7", "null"}) {
    EXPECT_THROW(codec::decode_event("project.exported", 1, data), codec::CodecError) << data;
  }
}

TEST(Upcasting, every_step_leads_to_a_version_of_the_catalogue) {
  for (const auto& step : codec::upcasters()) {
    nlohmann::json data;
    bool known = false;
    for (const auto& entry : codec::event_catalogue()) {
      known = known || (entry.type == step.type && step.from < entry.version);
    }
    EXPECT_TRUE(known) << step.type << " from " << step.from;
  }
}

}  // namespace
}  // namespace annolog::testing::events_test
