// Gives the tasks of a project the shapes of a COCO file: waits until the uploaded images are
// tasks, then sends the file to the service, which matches it and passes over what is there
// already. A second run adds nothing, and so do two at once. One thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "app/client/api_client.hpp"
#include "app/client/coco_document.hpp"
#include "app/client/progress.hpp"

namespace annolog::client {

struct AnnotationPlan {
  std::int64_t project_id = 0;
  std::int64_t dataset_id = 0;
  bool prefer_polygons = false;
  std::filesystem::path document;
  std::map<std::string, std::int64_t> item_of_file;
};

struct AnnotationReport {
  std::int64_t shapes_added = 0;
  std::int64_t already_there = 0;
  std::int64_t left_alone = 0;  // of tasks that are past editing
  std::int64_t failed = 0;
};

AnnotationReport import_annotations(ApiClient& api, const AnnotationPlan& plan,
                                    const CocoDocument& coco, Progress& progress);

}  // namespace annolog::client
