// Files of a zip of annotations on their way in: up to the first zero byte a data.yaml, then a
// label file that is an XML file of Pascal VOC, too. Whatever the bytes, an import ends, and what
// it sends is of known tasks, with numbers that are numbers, and can be told in JSON.
#include <cmath>
#include <fstream>

#include "domain/codec/json/utf8.hpp"
#include "platform/files.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "workers/export/zip_writer.hpp"
#include "workers/import/import.hpp"

namespace annolog::fuzz {
namespace {

class FileSink final : public workers::ByteSink {
 public:
  explicit FileSink(const std::filesystem::path& path)
      : file_(path, std::ios::binary | std::ios::trunc) {}
  void write(std::string_view bytes) override {
    file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

 private:
  std::ofstream file_;
};

void write_zip(const std::filesystem::path& path, std::string_view yaml, std::string_view file) {
  FileSink sink(path);
  workers::ZipWriter zip(sink);
  const std::pair<const char*, std::string_view> entries[] = {{"data.yaml", yaml},
                                                              {"classes.txt", "car\nbus\n"},
                                                              {"train.txt", file},
                                                              {"labels/a.txt", file},
                                                              {"Annotations/a.xml", file}};
  for (const auto& [name, contents] : entries) {
    zip.begin(name);
    zip.add(contents);
  }
  zip.finish();
}

void look_at(const ImportAnnotations& command) {
  require(command.task_id == TaskId{1} || command.task_id == TaskId{2}, "a task that there is");
  for (const auto& shape : command.shapes) {
    require(codec::is_utf8(shape.class_name), "a name");
    if (const auto* box = std::get_if<Bbox>(&shape.geometry)) {
      require(box->x >= 0 && box->x <= 1 && box->width > 0 && std::isfinite(box->width),
              "a span inside");
      require(box->y >= 0 && box->y <= 1 && box->height > 0 && std::isfinite(box->height),
              "a span inside");
    }
  }
}

}  // namespace

void try_input(std::string_view input) {
  static const platform::TempDir folder;
  static const workers::TaskIndex tasks = [] {
    workers::TaskIndex made;
    made.add(TaskId{1}, 1, {"a.png", "x/a.png"}, 100, 50);
    made.add(TaskId{2}, 2, {"b/c.png"}, std::nullopt, std::nullopt);
    made.ready();
    return made;
  }();
  const std::size_t split = std::min(input.find('\0'), input.size());
  const auto document = folder.path() / "document";
  write_zip(document, input.substr(0, split), input.substr(std::min(split + 1, input.size())));
  for (const auto format : {workers::ImportFormat::yolo, workers::ImportFormat::voc}) {
    workers::ImportPlan plan{.project_id = ProjectId{1}, .format = format};
    const auto report = workers::import_annotations(
        document, tasks, plan,
        {.scratch = folder.path(),
         .send =
             [](const ImportAnnotations& command, const workers::ImportDone& done) {
               look_at(command);
               done(ImportOutcome{static_cast<std::int64_t>(command.shapes.size()), 0, {}});
             },
         .stopping = [] { return false; }});
    require(report.has_value(), "nothing is wrong with the zip");
    for (const auto& one : report.value().errors) {
      require(!one.place.empty() && codec::is_utf8(one.place), "a place");
      require(codec::is_utf8(one.message), "a message");
    }
  }
}

}  // namespace annolog::fuzz
