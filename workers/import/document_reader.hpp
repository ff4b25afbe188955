// What the formats' readers have in common: they look rows up and hand shapes on, and tell what
// they can't read. Blocking; one thread.
#pragma once

#include <filesystem>
#include <functional>

#include "domain/project/classes.hpp"
#include "domain/support/result.hpp"
#include "domain/support/text.hpp"
#include "workers/import/entry_names.hpp"
#include "workers/import/import.hpp"
#include "workers/import/import_problems.hpp"
#include "workers/import/shape_spill.hpp"
#include "workers/import/task_index.hpp"

namespace annolog::workers {

// The lists of a JSON document, as parts of places: images and categories come before the
// annotations that name them.
enum class DocumentList : std::int8_t { categories, images, annotations };
inline constexpr const char kAnnotationList[] = "annotations";

struct DocumentReading {
  const std::filesystem::path& document;
  const TaskIndex& tasks;
  const ImportPlan& plan;
  ShapeSpill& spill;
  ImportProblems& problems;
  EntryNames& entries;         // of an archive; their places are the parts
  std::int64_t unmatched = 0;  // annotations of which no task was found
  const std::function<bool()>& stopping;

  static DocumentPlace place(DocumentList list, std::int64_t row) {
    return {static_cast<std::int64_t>(list), row};
  }
  void bad(DocumentPlace at, const char* code, std::string message) {
    problems.note(at, code, std::move(message));
  }
  void no_task(DocumentPlace at, TaskIndex::Found found) {
    ++unmatched;
    if (found == TaskIndex::Found::several) {
      bad(at, "TASK_AMBIGUOUS", "Several tasks of the project have this file.");
    } else {
      bad(at, "TASK_NOT_FOUND", "No task of the project has this display id or file.");
    }
  }
  // A name that no class can have goes no further: it may be long, and there may be many.
  void take(std::uint32_t task, DocumentPlace at, const ImportedShape& shape) {
    if (character_count(shape.class_name) > kMaxClassNameLength) {
      return bad(at, "UNKNOWN_CLASS",
                 "class_name: \"" + shown_name(shape.class_name, kMaxClassNameLength) +
                     "\" is not a class of this project.");
    }
    if (spill.add(task, at, shape)) return;
    bad(at, kTooManyShapes, kTooManyShapesMessage);
  }

  // A row of a JSON document's annotations.
  void bad(std::int64_t row, const char* code, std::string message) {
    bad(place(DocumentList::annotations, row), code, std::move(message));
  }
  void no_task(std::int64_t row, TaskIndex::Found found) {
    no_task(place(DocumentList::annotations, row), found);
  }
  void take(std::uint32_t task, std::int64_t row, const ImportedShape& shape) {
    take(task, place(DocumentList::annotations, row), shape);
  }

  static constexpr const char* kTooManyShapes = "TOO_MANY_SHAPES";
  static constexpr const char* kTooManyShapesMessage =
      "One import brings a task at most 5000 shapes and 2 MiB of them.";
};

Result<void> read_coco(DocumentReading& reading);
Result<void> read_native_json(DocumentReading& reading);
Result<void> read_yolo(DocumentReading& reading);
Result<void> read_voc(DocumentReading& reading);

// 422 with the code, of the document as a whole.
DomainError bad_document(std::string code, std::string message);

}  // namespace annolog::workers
