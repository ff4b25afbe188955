// Gives the tasks of a project the shapes of a COCO file, matched by the item that holds the file's
// bytes, else by file name. A task that has annotations already is left alone, and every call's
// Idempotency-Key is made from what it says, so that a second run adds nothing. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "app/client/api_client.hpp"
#include "app/client/coco_document.hpp"
#include "app/client/progress.hpp"

namespace annolog::client {

struct AnnotationPlan {
  std::int64_t project_id = 0;
  std::int64_t dataset_id = 0;
  bool prefer_polygons = false;
  std::map<std::string, std::int64_t> item_of_file;
};

struct AnnotationReport {
  std::size_t tasks_filled = 0;
  std::size_t shapes_added = 0;
  std::size_t tasks_left_alone = 0;  // had annotations, or are past editing
  std::size_t failed = 0;
};

inline constexpr std::size_t kShapesACallMax = 5000;  // decisions, section 5

AnnotationReport import_annotations(ApiClient& api, const AnnotationPlan& plan,
                                    const CocoDocument& coco, Progress& progress);

}  // namespace annolog::client
