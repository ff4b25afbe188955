// A document of annotations on its way in: whatever the bytes, an import ends, and what it sends is
// of known tasks, with numbers that are numbers; its problems have places.
#include <cmath>
#include <fstream>

#include "platform/files.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "workers/import/import.hpp"

namespace annolog::fuzz {
namespace {

workers::TaskIndex make_tasks() {
  workers::TaskIndex tasks;
  tasks.add(TaskId{1}, 1, {"a.png", "x/a.png"}, 100, 50);
  tasks.add(TaskId{2}, 2, {"b/a.png"}, std::nullopt, std::nullopt);
  tasks.ready();
  return tasks;
}

void look_at(const ImportAnnotations& command) {
  require(command.task_id == TaskId{1} || command.task_id == TaskId{2}, "a task that there is");
  require(!command.shapes.empty() && command.shapes.size() <= kMaxShapesPerCall, "some shapes");
  for (const auto& shape : command.shapes) {
    if (const auto* box = std::get_if<Bbox>(&shape.geometry)) {
      for (const double side : {box->x, box->y, box->width, box->height}) {
        require(std::isfinite(side), "numbers");
      }
    }
  }
}

}  // namespace

void try_input(std::string_view input) {
  static const platform::TempDir folder;
  static const workers::TaskIndex tasks = make_tasks();
  const auto document = folder.path() / "document";
  std::ofstream(document, std::ios::binary) << input;
  for (const auto format : {workers::ImportFormat::coco, workers::ImportFormat::native_json,
                            workers::ImportFormat::yolo, workers::ImportFormat::voc}) {
    const auto report = workers::import_annotations(
        document, tasks, {ProjectId{1}, format, workers::ImportedShapes::polygons, false},
        {.scratch = folder.path(),
         .send =
             [](const ImportAnnotations& command, const workers::ImportDone& done) {
               look_at(command);
               done(ImportOutcome{static_cast<std::int64_t>(command.shapes.size()), 0, {}});
             },
         .stopping = [] { return false; }});
    if (!report) continue;
    for (const auto& one : report.value().errors) require(!one.place.empty(), "a place");
  }
}

}  // namespace annolog::fuzz
