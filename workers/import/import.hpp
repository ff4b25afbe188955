// Brings the annotations of a document into a project's tasks: reads it row by row from disk,
// orders the shapes by task there, and sends one command a task. Memory follows the numbers of
// tasks and images, not the document's size (docs/decisions, 0020). Blocking; one thread, but the
// outcomes may come from any.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "domain/project/attribute_schema.hpp"
#include "domain/support/result.hpp"
#include "domain/task/import.hpp"
#include "workers/export/source.hpp"
#include "workers/import/import_problems.hpp"
#include "workers/import/task_index.hpp"

namespace annolog::workers {

enum class ImportFormat : std::uint8_t { coco, native_json, yolo, voc };

// What a COCO row that has both a box and polygons becomes.
enum class ImportedShapes : std::uint8_t { boxes, polygons };

struct ImportPlan {
  ProjectId project_id;
  ImportFormat format = ImportFormat::coco;
  ImportedShapes shapes = ImportedShapes::boxes;
  bool dry_run = false;
  // What zips need to know: their names of classes, and types of attributes that they don't tell.
  ExportProject project = {};
  AttributeSchema attribute_schema = {};
};

struct ImportReport {
  std::int64_t imported = 0;
  std::int64_t skipped = 0;
  std::int64_t unmatched = 0;
  std::int64_t error_count = 0;
  std::map<std::string, std::int64_t> errors_by_code;
  std::vector<ImportProblem> errors;  // the first ImportProblems::kKept
};

using ImportDone = std::function<void(Result<ImportOutcome>)>;
using SendImport = std::function<void(ImportAnnotations command, ImportDone done)>;

struct ImportSurroundings {
  std::filesystem::path scratch;  // an empty folder of the import's own
  SendImport send;
  std::function<bool()> stopping;  // the import ends soon, as unavailable
};

// Refuses an unreadable document whole, before anything is sent; what is wrong with single rows or
// tasks is in the report. Throws when the disk fails.
Result<ImportReport> import_annotations(const std::filesystem::path& document,
                                        const TaskIndex& tasks, const ImportPlan& plan,
                                        const ImportSurroundings& around);

}  // namespace annolog::workers
