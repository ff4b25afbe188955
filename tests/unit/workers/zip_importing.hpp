// An import of a zip into a project of four images, with what it sends.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "platform/files.hpp"
#include "tests/unit/workers/fake_export_source.hpp"
#include "tests/unit/workers/made_zip.hpp"
#include "workers/import/import.hpp"

namespace annolog::workers::test {

class ZipImporting : public ::testing::Test {
 protected:
  explicit ZipImporting(ImportFormat format) {
    plan_.project_id = ProjectId{5};
    plan_.format = format;
    plan_.project.classes = {{ClassId{1}, "car", "", false},
                             {ClassId{2}, "a:b", "", false},
                             {ClassId{3}, "a_b", "", false},
                             {ClassId{4}, "old", "", true}};
    tasks_.add(TaskId{11}, 1, {"day/a.png", "x/1.png"}, 640, 480);
    tasks_.add(TaskId{12}, 2, {"day/a.jpg"}, 100, 50);
    tasks_.add(TaskId{13}, 3, {"b/same.png"}, 10, 10);
    tasks_.add(TaskId{14}, 4, {"c/same.png"}, std::nullopt, std::nullopt);
    tasks_.add(TaskId{15}, 5, {"top.jpg"}, 10, 10);
    tasks_.ready();
  }

  Result<ImportReport> import(const std::string& document) {
    const platform::TempDir folder;
    const auto file = folder.path() / "document";
    std::ofstream(file, std::ios::binary) << document;
    commands_.clear();
    return import_annotations(file, tasks_, plan_,
                              {.scratch = folder.path(),
                               .send =
                                   [this](ImportAnnotations command, const ImportDone& done) {
                                     const auto count =
                                         static_cast<std::int64_t>(command.shapes.size());
                                     commands_[command.task_id] = std::move(command);
                                     done(ImportOutcome{count, 0, {}});
                                   },
                               .stopping = [] { return false; }});
  }
  Result<ImportReport> import(const Files& files) { return import(zip_of(files)); }

  // Of a project, a small one unless told otherwise, into that project.
  Result<ImportReport> import_own_export(ExportFormat format, FakeSource source = small_project()) {
    tasks_ = {};
    for (const auto& one : source.images) {
      tasks_.add(one.image.task_id, one.image.task_id.value, {one.image.file_path}, one.image.width,
                 one.image.height);
    }
    tasks_.ready();
    plan_.project = source.about;
    return import(exported(source, format));
  }

  // "place code" of each problem.
  static std::string problems(const Result<ImportReport>& report) {
    if (!report) return report.error().code;
    std::string all;
    for (const auto& one : report.value().errors) all += one.place + " " + one.code + ";";
    return all;
  }

  const ImportedShape& shape(std::int64_t task, std::size_t at = 0) {
    return commands_.at(TaskId{task}).shapes.at(at);
  }

  ImportPlan plan_;
  TaskIndex tasks_;
  std::map<TaskId, ImportAnnotations> commands_;
};

}  // namespace annolog::workers::test
