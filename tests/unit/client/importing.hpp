// An import from a folder of three images into a service of the test's own.
#pragma once

#include <gtest/gtest.h>

#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "app/client/import.hpp"
#include "tests/unit/client/fake_service.hpp"
#include "tests/unit/client/temp_folder.hpp"

namespace annolog::client::testing {

class Importing : public ::testing::Test {
 protected:
  Importing() {
    folder_.put("images/a.png", "first image");
    folder_.put("images/sub/b.jpg", "second image");
    folder_.put("images/c.webp", "third image");
    options_.connection.url = server_.url();
    options_.connection.username = "admin";
    options_.connection.password = "secret";
    options_.connection.wait = [this](std::chrono::milliseconds delay) {
      const std::lock_guard lock(mutex_);
      waits_.push_back(delay);
    };
    options_.project = "Street";
    options_.folder = folder_.path() / "images";
  }

  int run() {
    out_.str("");
    err_.str("");
    return run_import(options_, out_, err_);
  }

  void with_coco() {
    options_.coco = folder_.put("coco.json", R"({
      "images": [{"id": 1, "file_name": "a.png", "width": 10, "height": 10},
                 {"id": 2, "file_name": "sub/b.jpg", "width": 20, "height": 20}],
      "categories": [{"id": 1, "name": "cat"}],
      "annotations": [{"image_id": 1, "category_id": 1, "bbox": [1, 1, 2, 2]},
                      {"image_id": 1, "category_id": 1, "bbox": [5, 5, 5, 5]},
                      {"image_id": 2, "category_id": 1, "bbox": [0, 0, 20, 20]}]})");
  }

  // What the tasks of a project are made from, in their order.
  std::vector<std::string> files_of(int project) const {
    std::vector<std::string> files;
    for (const nlohmann::json& task : service_.tasks) {
      if (task["project_id"] == project) files.push_back(task["file_name"]);
    }
    return files;
  }

  // Answers the first `times` requests that fit with `reply`, then lets the service.
  void fail_first(int times, std::string path, StubReply reply) {
    service_.fault =
        [=, left = times](const StubRequest& request) mutable -> std::optional<StubReply> {
      if (request.path != path || left == 0) return std::nullopt;
      --left;
      return reply;
    };
  }

  TempFolder folder_;
  FakeService service_;
  StubServer server_{[this](const StubRequest& request) { return service_.answer(request); }};
  ImportOptions options_;
  std::mutex mutex_;
  std::vector<std::chrono::milliseconds> waits_;
  std::ostringstream out_, err_;
};

}  // namespace annolog::client::testing
