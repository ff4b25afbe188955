// What an export reads: a project and its images with their annotations, pulled one by one.
// The caller of write_export() supplies it, usually over one read-only snapshot of the read models.
// One thread. A failing read throws; the export ends there and the exception reaches its caller.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/support/ids.hpp"
#include "domain/support/json_text.hpp"
#include "domain/task/view.hpp"

namespace annolog::workers {

struct ExportClass {
  ClassId id;  // order of birth in the project, from 1, never used again
  std::string name;
  std::string color;  // #RRGGBB
  bool removed = false;
};

struct ExportProject {
  ProjectId id;
  std::string display_id;
  std::string name;
  std::string type_key;
  std::vector<ExportClass> classes;  // in order of birth, removed ones included
  JsonText attribute_schema;
  std::optional<std::string> batch_display_id;
};

struct ExportImage {
  TaskId task_id;
  std::string display_id;
  std::optional<ItemId> dataset_item_id;
  std::string file_name;
  std::string file_path;              // with folders; what an export calls the image
  std::optional<std::int64_t> width;  // pixels; unknown or 0: not known
  std::optional<std::int64_t> height;
  std::string status;
};

class ExportSource {
 public:
  enum class Pass { images, annotations };

  virtual ~ExportSource() = default;
  virtual const ExportProject& project() = 0;

  // Starts over before the first image. A format needs up to four passes, and every pass must show
  // the same images. In a pass over `images` next_annotation() is not called.
  virtual void rewind(Pass pass) = 0;

  // The next image in order of task id, overwriting `image`; false after the last.
  virtual bool next_image(ExportImage& image) = 0;

  // The next live annotation of the image that next_image() gave last, in order of id; false after
  // the last. What the caller leaves unread is skipped by the following next_image().
  virtual bool next_annotation(AnnotationView& annotation) = 0;
};

}  // namespace annolog::workers
