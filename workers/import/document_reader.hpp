// What the formats' readers have in common: they look rows up and hand shapes on, and tell what
// they can't read. Blocking; one thread.
#pragma once

#include <filesystem>
#include <functional>

#include "domain/support/result.hpp"
#include "workers/import/import.hpp"
#include "workers/import/import_problems.hpp"
#include "workers/import/shape_spill.hpp"
#include "workers/import/task_index.hpp"

namespace annolog::workers {

inline constexpr const char kAnnotationList[] = "annotations";

struct DocumentReading {
  const std::filesystem::path& document;
  const TaskIndex& tasks;
  const ImportPlan& plan;
  ShapeSpill& spill;
  ImportProblems& problems;
  std::int64_t unmatched = 0;  // annotations of which no task was found
  const std::function<bool()>& stopping;

  void bad(std::int64_t row, const char* code, std::string message) {
    problems.note(kAnnotationList, row, code, std::move(message));
  }
  void no_task(std::int64_t row, TaskIndex::Found found) {
    ++unmatched;
    if (found == TaskIndex::Found::several) {
      bad(row, "TASK_AMBIGUOUS", "Several tasks of the project have this file.");
    } else {
      bad(row, "TASK_NOT_FOUND", "No task of the project has this display id or file.");
    }
  }
  void take(std::uint32_t task, std::int64_t row, const ImportedShape& shape) {
    if (spill.add(task, row, shape)) return;
    bad(row, kTooManyShapes, kTooManyShapesMessage);
  }

  static constexpr const char* kTooManyShapes = "TOO_MANY_SHAPES";
  static constexpr const char* kTooManyShapesMessage =
      "One import brings a task at most 5000 shapes and 2 MiB of them.";
};

Result<void> read_coco(DocumentReading& reading);
Result<void> read_native_json(DocumentReading& reading);

// 422 with the code, of the document as a whole.
DomainError bad_document(std::string code, std::string message);

}  // namespace annolog::workers
