#include "app/client/export.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "app/client/digest.hpp"
#include "tests/unit/client/stub_server.hpp"
#include "tests/unit/client/temp_folder.hpp"

namespace annolog::client::export_test {
namespace {

using ::testing::HasSubstr;
using testing::StubReply;
using testing::StubRequest;
using testing::StubServer;
using testing::TempFolder;

class Exporting : public ::testing::Test {
 protected:
  Exporting() {
    options_.connection.url = server_.url();
    options_.connection.api_key = "ak_key";
    options_.connection.wait = [](std::chrono::milliseconds) {};
    options_.project = "Street";
    options_.output = folder_.path() / "out.json";
  }

  StubReply answer(const StubRequest& request) {
    if (request.header("x-api-key") != "ak_key") return {.status = 401};
    if (request.path == "/api/v1/projects") {
      return {.body = R"({"items":[{"id":5,"name":"Street"}],"next_cursor":null})"};
    }
    if (request.path != "/api/v1/projects/5/export" &&
        request.path != "/api/v1/projects/5/batches/B-3/export") {
      return {.status = 404};
    }
    if (failures_ > 0 && failures_-- > 0) return {.body = "half of th", .cut = true};
    return {.status = status_, .body = document_};
  }

  bool nothing_left() const { return std::filesystem::is_empty(folder_.path()); }

  TempFolder folder_;
  int failures_ = 0;
  int status_ = 200;
  std::string document_ = std::string(100'000, 'x') + "{}";
  StubServer server_{[this](const StubRequest& request) { return answer(request); }};
  ExportOptions options_;
  std::ostringstream out_, err_;
};

TEST_F(Exporting, the_file_holds_the_answer_and_the_report_its_digest) {
  options_.include_attributes = true;
  ASSERT_EQ(run_export(options_, out_, err_), 0) << err_.str();
  EXPECT_EQ(TempFolder::read(options_.output), document_);
  EXPECT_FALSE(std::filesystem::exists(options_.output.string() + ".part"));
  EXPECT_THAT(out_.str(), HasSubstr("100002 bytes, sha256 " + sha256_of(document_)));
  EXPECT_EQ(server_.requests().back().target,
            "/api/v1/projects/5/export?format=coco&include_attributes=true");
}

TEST_F(Exporting, statuses_and_classes_are_asked_for_one_by_one) {
  options_.format = "voc";
  options_.statuses = {"review", "completed"};
  options_.classes = {"traffic light", "a,b&c"};
  ASSERT_EQ(run_export(options_, out_, err_), 0) << err_.str();
  EXPECT_EQ(server_.requests().back().target,
            "/api/v1/projects/5/export?format=voc&include_attributes=false"
            "&status=review&status=completed&class=traffic%20light&class=a%2Cb%26c");
}

TEST_F(Exporting, a_batch_is_asked_for_by_its_name) {
  options_.batch = "B-3";
  options_.statuses = {"review"};
  ASSERT_EQ(run_export(options_, out_, err_), 0) << err_.str();
  EXPECT_EQ(TempFolder::read(options_.output), document_);
  EXPECT_EQ(server_.requests().back().target,
            "/api/v1/projects/5/batches/B-3/export?format=coco&include_attributes=false"
            "&status=review");
}

TEST_F(Exporting, a_batch_that_is_not_there_leaves_nothing) {
  options_.batch = "17";
  EXPECT_EQ(run_export(options_, out_, err_), 1);
  EXPECT_THAT(err_.str(), HasSubstr("HTTP 404"));
  EXPECT_TRUE(nothing_left());
}

TEST_F(Exporting, what_names_no_batch_is_refused_before_any_call) {
  for (const char* batch : {"", "..", "B 3", "B-3/..", "B-3?status=pending"}) {
    options_.batch = batch;
    EXPECT_EQ(run_export(options_, out_, err_), 2) << batch;
  }
  EXPECT_THAT(err_.str(), HasSubstr("error: the batch must be an id or a display id such as B-3"));
  EXPECT_TRUE(server_.requests().empty());
}

TEST_F(Exporting, a_cut_answer_is_asked_for_again_from_the_start) {
  failures_ = 2;
  ASSERT_EQ(run_export(options_, out_, err_), 0) << err_.str();
  EXPECT_EQ(TempFolder::read(options_.output), document_);
  EXPECT_THAT(out_.str(), HasSubstr(sha256_of(document_)));
}

TEST_F(Exporting, an_answer_that_never_completes_leaves_nothing) {
  failures_ = 1000;
  EXPECT_EQ(run_export(options_, out_, err_), 1);
  EXPECT_TRUE(nothing_left());
  EXPECT_THAT(err_.str(), HasSubstr("error: "));
}

TEST_F(Exporting, a_failed_export_keeps_the_file_of_before) {
  folder_.put("out.json", "before");
  status_ = 403;
  document_ = R"({"detail":{"code":"FORBIDDEN","message":"Needs project_admin."}})";
  EXPECT_EQ(run_export(options_, out_, err_), 1);
  EXPECT_EQ(TempFolder::read(options_.output), "before");
  EXPECT_THAT(err_.str(), HasSubstr("HTTP 403 FORBIDDEN: Needs project_admin."));
}

TEST_F(Exporting, a_dash_writes_the_document_alone_to_the_output) {
  options_.output = "-";
  ASSERT_EQ(run_export(options_, out_, err_), 0);
  EXPECT_EQ(out_.str(), document_);
  EXPECT_THAT(err_.str(), HasSubstr("sha256"));
}

TEST_F(Exporting, a_dash_that_was_written_to_is_not_begun_again) {
  options_.output = "-";
  failures_ = 1;
  EXPECT_EQ(run_export(options_, out_, err_), 1);
  EXPECT_EQ(out_.str(), "half of th");
}

TEST_F(Exporting, a_folder_that_is_not_there_is_said) {
  options_.output = folder_.path() / "none" / "out.json";
  EXPECT_EQ(run_export(options_, out_, err_), 1);
  EXPECT_THAT(err_.str(), HasSubstr("cannot create"));
}

TEST_F(Exporting, unknown_formats_and_projects_are_refused) {
  options_.format = "xml";
  EXPECT_EQ(run_export(options_, out_, err_), 2);
  options_.format = "yolo";
  options_.project = "None";
  EXPECT_EQ(run_export(options_, out_, err_), 1);
  EXPECT_THAT(err_.str(), HasSubstr("no project is called None"));
}

}  // namespace
}  // namespace annolog::client::export_test
