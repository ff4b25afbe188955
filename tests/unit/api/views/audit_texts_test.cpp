// Rows of the audit as text: what the writer would make of an AuditLogView.
#include "api/audit_texts.hpp"

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "api/views/audit.hpp"
#include "domain/codec/domain_json.hpp"

namespace annolog::api::audit_texts_test {
namespace {

using Opening = AuditTexts::Opening;

constexpr UserId kAnn{7};
constexpr UserId kErased{8};

class AuditTextsTest : public ::testing::Test {
 protected:
  AuditTextsTest() {
    directory_.put(
        KnownUser{.brief = {kAnn, "Ann \"A\"", "ann"}, .key_id = "key", .email = email_});
  }

  static RequestRecorded request() {
    RequestRecorded request;
    request.number = 41;
    request.previous = std::string(64, 'a');
    request.at = Timestamp{1'790'000'000'123};
    request.actor_id = kAnn;
    request.actor_role = Role::annotator;
    request.request_id = "r-1";
    request.action = "task.submit";
    request.method = "POST";
    request.path = "/api/v1/tasks/3/submit?q=\"\\{},";
    request.status = 200;
    request.proof = CallerProof::token;
    request.target_type = "task";
    request.target_id = 3;
    request.project_id = ProjectId{2};
    request.origin.sealed = Sealed{"key", "c2VhbGVk"};
    return request;
  }

  std::string text(const RequestRecorded& request) {
    std::string text;
    EXPECT_TRUE(texts_.append(row_of(request), Opening::allowed, text));
    return text;
  }
  static projections::AuditRow row_of(const RequestRecorded& request) {
    return {kId, request.at, RequestRecorded::kVersion, codec::to_json_text(request)};
  }
  AuditLogView view(const RequestRecorded& request) const {
    AuditLogView view;
    view.id = kId;
    view.actor_id = request.actor_id;
    if (request.actor_id) view.actor = directory_.brief(*request.actor_id);
    if (request.actor_id == kAnn) view.actor_email = email_;
    view.actor_role = request.actor_role;
    view.proof = request.proof;
    view.action = request.action;
    view.target_type = request.target_type;
    view.target_id = request.target_id;
    view.project_id = request.project_id;
    view.method = request.method;
    view.path = request.path;
    view.status_code = request.status;
    view.ip = "192.0.2.7";
    view.detail_json = {.request_id = request.request_id,
                        .user_agent = "curl \"8\"",
                        .reason = request.detail.reason,
                        .batch_ids = request.detail.batch_ids,
                        .display_ids = request.detail.display_ids,
                        .format = request.detail.format,
                        .display_id = request.detail.display_id,
                        .code = request.detail.code,
                        .replayed = request.detail.replayed};
    view.created_at = request.at;
    return view;
  }

  static constexpr std::int64_t kId = 4096001;
  const std::optional<std::string> email_ = "ann@example.org";
  Directory directory_;
  int opened_ = 0;
  OpenedOrigins origins_{[this](const RequestOrigin& origin) -> std::optional<PlainOrigin> {
                           ++opened_;
                           if (!origin.sealed) return PlainOrigin{*origin.ip, ""};
                           return PlainOrigin{"192.0.2.7", "curl \"8\""};
                         },
                         100};
  AuditTexts texts_{directory_, origins_, 1};
};

TEST_F(AuditTextsTest, are_what_the_view_is_written_as) {
  EXPECT_EQ(text(request()), codec::to_json_text(view(request())));
}

TEST_F(AuditTextsTest, have_all_that_the_detail_has) {
  auto given = request();
  given.detail = {.reason = "blurred, \"twice\"",
                  .batch_ids = {{4, 5}},
                  .display_ids = {{"B-9"}},
                  .format = "coco",
                  .display_id = "T-3",
                  .code = "TASK_NOT_OPEN",
                  .replayed = true};
  EXPECT_EQ(text(given), codec::to_json_text(view(given)));
}

TEST_F(AuditTextsTest, name_no_actor_of_nobodys_request) {
  auto given = request();
  given.actor_id = std::nullopt;
  given.actor_role = std::nullopt;
  given.target_id = std::nullopt;
  given.project_id = std::nullopt;
  given.proof = CallerProof::nobody;
  EXPECT_EQ(text(given), codec::to_json_text(view(given)));
}

TEST_F(AuditTextsTest, show_an_id_alone_of_somebody_who_was_erased) {
  auto given = request();
  given.actor_id = kErased;
  auto expected = view(given);
  expected.actor = UserBrief{kErased, {}, {}};
  expected.ip = std::nullopt;
  expected.detail_json.user_agent = std::nullopt;
  EXPECT_EQ(text(given), codec::to_json_text(expected));
  EXPECT_EQ(opened_, 0);
}

TEST_F(AuditTextsTest, show_addresses_in_the_clear_as_older_rows_have_them) {
  auto given = request();
  given.origin = {.ip = "192.0.2.9"};
  auto expected = view(given);
  expected.ip = "192.0.2.9";
  expected.detail_json.user_agent = std::nullopt;
  EXPECT_EQ(text(given), codec::to_json_text(expected));
}

TEST_F(AuditTextsTest, show_no_address_where_none_was_kept) {
  auto given = request();
  given.origin = {};
  auto expected = view(given);
  expected.ip = std::nullopt;
  expected.detail_json.user_agent = std::nullopt;
  EXPECT_EQ(text(given), codec::to_json_text(expected));
  EXPECT_EQ(opened_, 0);
}

// Records of every age: whatever the log can hold.
TEST_F(AuditTextsTest, show_each_record_that_can_be_read) {
  for (const std::string name : {"request.recorded.v1", "request.recorded.v1.min"}) {
    std::ifstream file(std::string(ANNOLOG_SOURCE_DIR) + "/tests/golden/events/" + name + ".json");
    const std::string data(std::istreambuf_iterator<char>(file), {});
    ASSERT_FALSE(data.empty()) << name;
    const projections::AuditRow row{kId, {}, 1, data.substr(0, data.rfind('}') + 1)};
    const auto given = projections::request_of(row);
    auto expected = view(given);
    if (given.actor_id) expected.actor = directory_.brief(*given.actor_id);
    const bool shows_origin = !given.actor_id && given.origin != RequestOrigin{};
    if (!shows_origin) expected.ip = expected.detail_json.user_agent = std::nullopt;
    std::string text;
    EXPECT_TRUE(texts_.append(row, Opening::allowed, text));
    EXPECT_EQ(text, codec::to_json_text(expected)) << name;
  }
}

TEST_F(AuditTextsTest, open_nothing_where_that_would_block) {
  std::string text = "before";
  EXPECT_FALSE(texts_.append(row_of(request()), Opening::never, text));
  EXPECT_EQ(text, "before");
  EXPECT_EQ(opened_, 0);
  EXPECT_TRUE(texts_.append(row_of(request()), Opening::allowed, text));
  EXPECT_TRUE(texts_.append(row_of(request()), Opening::never, text));
  EXPECT_EQ(opened_, 1);
  const auto once = codec::to_json_text(view(request()));
  EXPECT_EQ(text, "before" + once + once);
}

TEST_F(AuditTextsTest, refuse_a_record_that_lacks_something) {
  std::string text;
  EXPECT_THROW(texts_.append({kId, {}, RequestRecorded::kVersion, R"({"at":"2026"})"},
                             Opening::allowed, text),
               codec::CodecError);
}

}  // namespace
}  // namespace annolog::api::audit_texts_test
