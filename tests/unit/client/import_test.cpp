#include "app/client/import.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/client/coco_document.hpp"
#include "tests/unit/client/importing.hpp"

namespace annolog::client::import_test {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using testing::Importing;
using ::testing::Not;
using testing::StubReply;
using testing::StubRequest;

constexpr const char* kInit = "/api/v1/datasets/1/items/upload-init";

TEST_F(Importing, a_folder_becomes_a_project_with_tasks) {
  options_.classes = folder_.put("classes.txt", "cat\ndog\n");
  ASSERT_EQ(run(), 0) << err_.str();
  ASSERT_EQ(service_.projects.size(), 1u);
  EXPECT_EQ(service_.projects[0]["name"], "Street");
  EXPECT_EQ(service_.projects[0]["classes_config"].size(), 2u);
  EXPECT_EQ(service_.datasets[0]["name"], "Street");
  EXPECT_EQ(service_.tasks.size(), 3u);
  std::set<std::string> bytes;
  for (const auto& [item, content] : service_.uploaded) bytes.insert(content);
  EXPECT_EQ(bytes, (std::set<std::string>{"first image", "second image", "third image"}));
  EXPECT_THAT(out_.str(), HasSubstr("3 found, 3 uploaded, 0 already there, 0 failed"));
  EXPECT_THAT(err_.str(), HasSubstr("images 3/3"));
}

TEST_F(Importing, a_second_run_sends_nothing) {
  with_coco();
  ASSERT_EQ(run(), 0) << err_.str();
  const auto annotations = service_.annotations;
  ASSERT_EQ(run(), 0) << err_.str();
  EXPECT_EQ(server_.count("POST", kInit), 3u);
  EXPECT_EQ(service_.projects.size(), 1u);
  EXPECT_EQ(service_.datasets.size(), 1u);
  EXPECT_EQ(service_.annotations, annotations);
  EXPECT_THAT(out_.str(), HasSubstr("0 uploaded, 3 already there"));
  EXPECT_THAT(out_.str(), HasSubstr("annotations: 0 added, 3 already there"));
}

TEST_F(Importing, the_same_bytes_under_two_names_are_sent_once) {
  folder_.put("images/d.png", "first image");
  options_.parallel = 1;
  ASSERT_EQ(run(), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("4 found, 3 uploaded, 1 already there, 0 failed"));
}

TEST_F(Importing, an_upload_that_was_never_completed_is_completed) {
  options_.parallel = 1;
  fail_first(1, "/api/v1/datasets/1/items/upload-complete/1", {.status = 500, .body = "{}"});
  ASSERT_EQ(run(), 1);
  EXPECT_EQ(service_.items[0]["status"], "pending");
  ASSERT_EQ(run(), 0) << err_.str();
  EXPECT_EQ(service_.items[0]["status"], "ready");
  EXPECT_EQ(service_.tasks.size(), 3u);
}

TEST_F(Importing, a_busy_service_is_asked_again_when_it_said) {
  options_.parallel = 1;
  fail_first(2, kInit, {.status = 429, .headers = {{"Retry-After", "7"}}});
  ASSERT_EQ(run(), 0) << err_.str();
  EXPECT_EQ(waits_, (std::vector<milliseconds>{milliseconds{7000}, milliseconds{7000}}));
  std::set<std::string> keys;
  for (const StubRequest& request : server_.requests()) {
    if (request.path == kInit) keys.insert(request.header("idempotency-key"));
  }
  EXPECT_EQ(keys.size(), 3u) << "a retry has the key of the first try";
}

TEST_F(Importing, a_lost_connection_is_tried_again_with_back_off) {
  options_.parallel = 1;
  fail_first(3, kInit, {.status = 201, .body = "{", .cut = true});
  ASSERT_EQ(run(), 0) << err_.str();
  ASSERT_EQ(waits_.size(), 3u);
  EXPECT_GE(waits_[2], milliseconds{500});
  EXPECT_EQ(service_.items.size(), 3u);
}

TEST_F(Importing, an_expired_token_is_renewed_once_by_all_threads) {
  service_.fault = [this](const StubRequest& request) -> std::optional<StubReply> {
    if (request.path == kInit && service_.logins == 1) service_.valid_tokens.clear();
    return std::nullopt;
  };
  ASSERT_EQ(run(), 0) << err_.str();
  EXPECT_EQ(service_.logins, 2);
  EXPECT_EQ(service_.tasks.size(), 3u);
}

TEST_F(Importing, a_token_without_a_password_is_not_renewed) {
  options_.connection.username.clear();
  options_.connection.token = "stale";
  EXPECT_EQ(run(), 1);
  EXPECT_THAT(err_.str(), HasSubstr("no password to renew it"));
  EXPECT_EQ(service_.logins, 0);
}

TEST_F(Importing, a_wrong_password_is_said_and_not_repeated) {
  options_.connection.password = "wrong";
  EXPECT_EQ(run(), 1);
  EXPECT_THAT(err_.str(), HasSubstr("INVALID_CREDENTIALS"));
  EXPECT_EQ(server_.count("POST", "/api/v1/auth/login"), 1u);
}

TEST_F(Importing, one_bad_file_fails_alone) {
  service_.fault = [](const StubRequest& request) -> std::optional<StubReply> {
    if (request.body.find("sub/b.jpg") == std::string::npos) return std::nullopt;
    return StubReply{.status = 422,
                     .body = R"({"detail":{"code":"VALIDATION_ERROR","message":"Not valid.",
        "errors":[{"loc":["body","file_name"],"msg":"too odd","type":"x"}]}})"};
  };
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(service_.tasks.size(), 2u);
  EXPECT_THAT(err_.str(), HasSubstr("error: sub/b.jpg: HTTP 422 VALIDATION_ERROR: Not valid. "
                                    "body.file_name: too odd"));
  EXPECT_THAT(out_.str(), HasSubstr("2 uploaded, 0 already there, 1 failed"));
}

TEST_F(Importing, an_expired_signed_url_is_asked_for_again) {
  options_.parallel = 1;
  fail_first(
      1, "/objects/1",
      {.status = 410, .body = R"({"detail":{"code":"URL_EXPIRED","message":"The URL expired."}})"});
  service_.fault = [this, inner = service_.fault](const StubRequest& request) {
    auto reply = inner(request);
    // The service gives the file a new item: its first one never got any bytes.
    if (reply) service_.items[0]["content_hash"] = "void";
    return reply;
  };
  ASSERT_EQ(run(), 0) << err_.str();
  EXPECT_EQ(server_.count("POST", kInit), 4u);
}

TEST_F(Importing, a_signed_url_that_is_refused_is_not_asked_for_again) {
  options_.parallel = 1;
  fail_first(1, "/objects/1",
             {.status = 403,
              .body = R"({"detail":{"code":"URL_SIGNATURE_INVALID","message":"Not valid."}})"});
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(server_.count("POST", kInit), 3u);
  EXPECT_THAT(err_.str(), HasSubstr("error: a.png: HTTP 403 URL_SIGNATURE_INVALID: Not valid."));
}

TEST_F(Importing, a_file_that_shrinks_on_its_way_fails_alone) {
  options_.parallel = 1;
  service_.fault = [this](const StubRequest& request) -> std::optional<StubReply> {
    if (request.path == kInit) folder_.put("images/a.png", "f");
    return std::nullopt;
  };
  EXPECT_EQ(run(), 1);
  EXPECT_THAT(err_.str(), HasSubstr("error: a.png: "));
  EXPECT_TRUE(waits_.empty());
  EXPECT_THAT(out_.str(), HasSubstr("2 uploaded, 0 already there, 1 failed"));
}

TEST_F(Importing, coco_boxes_reach_the_task_of_their_file) {
  with_coco();
  ASSERT_EQ(run(), 0) << err_.str();
  EXPECT_EQ(service_.projects[0]["classes_config"][0]["name"], "cat");
  ASSERT_EQ(service_.annotations.size(), 2u);
  for (const auto& task : service_.tasks) {
    const std::size_t expected = task["file_name"] == "a.png"       ? 2
                                 : task["file_name"] == "sub/b.jpg" ? 1
                                                                    : 0;
    EXPECT_EQ(task["annotation_count"].get<std::size_t>(), expected);
  }
  const std::string path = "/api/v1/projects/1/annotations/import";
  EXPECT_EQ(server_.count("POST", path), 1u);
  for (const StubRequest& request : server_.requests()) {
    if (request.path == path) EXPECT_TRUE(request.target.ends_with("?format=coco&shapes=boxes"));
  }
  EXPECT_THAT(out_.str(), HasSubstr("annotations: 3 added, 0 already there"));
}

TEST_F(Importing, rows_that_the_service_refuses_are_told_with_their_place) {
  with_coco();
  std::filesystem::remove(folder_.path() / "images/sub/b.jpg");
  EXPECT_EQ(run(), 1);
  EXPECT_THAT(err_.str(), HasSubstr("/annotations/2: TASK_NOT_FOUND: "));
  EXPECT_THAT(out_.str(), HasSubstr("annotations: 2 added, 0 already there, 0 of tasks past "
                                    "editing left out, 1 failed"));
}

TEST_F(Importing, a_project_that_another_import_made_meanwhile_is_used) {
  service_.fault = [this,
                    once = true](const StubRequest& request) mutable -> std::optional<StubReply> {
    if (request.method == "POST" && request.path == "/api/v1/projects" && once) {
      once = false;
      service_.projects.push_back(
          {{"id", 1}, {"name", "Street"}, {"version", 1}, {"classes_config", json::array()}});
    }
    return std::nullopt;
  };
  with_coco();
  ASSERT_EQ(run(), 0) << err_.str();
  EXPECT_EQ(service_.projects.size(), 1u);
  EXPECT_EQ(service_.projects[0]["classes_config"][0]["name"], "cat");
}

TEST_F(Importing, classes_are_added_to_a_project_that_exists) {
  service_.projects.push_back(
      {{"id", 1}, {"name", "Street"}, {"version", 4}, {"classes_config", {{{"name", "Cat"}}}}});
  options_.classes = folder_.put("classes.txt", "cat\ndog\n");
  ASSERT_EQ(run(), 0) << err_.str();
  EXPECT_EQ(service_.projects.size(), 1u);
  EXPECT_EQ(service_.projects[0]["classes_config"].size(), 2u);
}

TEST_F(Importing, a_project_can_be_given_by_its_id) {
  service_.projects.push_back({{"id", 1}, {"name", "Street"}});
  options_.project = "1";
  ASSERT_EQ(run(), 0) << err_.str();
  EXPECT_EQ(service_.projects.size(), 1u);
  EXPECT_EQ(service_.datasets[0]["name"], "Street");
}

TEST_F(Importing, two_projects_of_one_name_need_the_id) {
  service_.projects.push_back({{"id", 1}, {"name", "Street"}});
  service_.projects.push_back({{"id", 2}, {"name", "Street"}});
  EXPECT_EQ(run(), 1);
  EXPECT_THAT(err_.str(), HasSubstr("give the id"));
  EXPECT_TRUE(service_.items.empty());
}

TEST_F(Importing, a_dry_run_writes_nothing) {
  with_coco();
  options_.dry_run = true;
  ASSERT_EQ(run(), 0) << err_.str();
  for (const StubRequest& request : server_.requests()) {
    EXPECT_TRUE(request.method == "GET" || request.path == "/api/v1/auth/login");
  }
  EXPECT_THAT(out_.str(), HasSubstr("3 to upload"));
  folder_.put("images/twice.png", "first image");
  ASSERT_EQ(run(), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("3 to upload, 1 already there"));
  EXPECT_THAT(out_.str(), HasSubstr("annotations: 3 in the COCO file"));
}

TEST_F(Importing, unusable_options_are_refused_before_any_call) {
  options_.coco = folder_.put("coco.json", "not json");
  EXPECT_EQ(run(), 2);
  options_.coco.clear();
  options_.folder = folder_.path() / "none";
  EXPECT_EQ(run(), 2);
  options_.folder = folder_.path() / "images";
  options_.parallel = 0;
  EXPECT_EQ(run(), 2);
  EXPECT_TRUE(server_.requests().empty());
}

TEST_F(Importing, a_coco_file_larger_than_the_service_takes_is_refused) {
  options_.coco = folder_.put("coco.json", "");
  std::filesystem::resize_file(options_.coco, (std::uintmax_t{4} << 30) + 1);  // a hole
  EXPECT_EQ(run(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("coco.json: larger than 4 GiB"));
}

TEST_F(Importing, entries_that_are_not_listed_are_counted) {
  json rows = json::array();
  for (std::size_t i = 0; i < kCocoProblemsMax + 2; ++i) rows.push_back({{"image_id", 9}});
  options_.coco =
      folder_.put("coco.json", json{{"images", json::array()}, {"annotations", rows}}.dump());
  EXPECT_EQ(run(), 1);
  EXPECT_THAT(err_.str(), HasSubstr("annotations[999]: no such image_id\n"));
  EXPECT_THAT(err_.str(), Not(HasSubstr("annotations[1000]")));
  EXPECT_THAT(err_.str(), HasSubstr("coco.json: 2 more entries are unusable\n"));
  EXPECT_THAT(out_.str(), HasSubstr("1002 entries unusable"));
}

TEST_F(Importing, a_service_that_is_not_there_ends_it) {
  options_.connection.url = "http://127.0.0.1:1";
  EXPECT_EQ(run(), 1);
  EXPECT_THAT(err_.str(), HasSubstr("tried 8 times"));
  EXPECT_EQ(waits_.size(), 7u);
}

}  // namespace
}  // namespace annolog::client::import_test
