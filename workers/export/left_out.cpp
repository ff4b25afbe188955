#include "workers/export/left_out.hpp"

#include "workers/export/json_text.hpp"

namespace annolog::workers {
namespace {

constexpr std::int64_t kListed = 1000;

}  // namespace

void LeftOut::add(TaskId image, const Counts& counts) {
  const std::int64_t annotations = counts.unfit + counts.unplaced;
  if (annotations == 0) return;
  annotations_ += annotations;
  if (++images_ > kListed) return;
  list("SHAPE_NOT_SUPPORTED", image, counts.unfit);
  list("IMAGE_SIZE_UNKNOWN", image, counts.unplaced);
}

void LeftOut::list(std::string_view code, TaskId image, std::int64_t annotations) {
  if (annotations == 0) return;
  first_ += first_.empty() ? "{" : ",\n{";
  append_member(first_, "code", code);
  first_ += ',';
  append_member(first_, "image_id", image.value);
  first_ += ',';
  append_member(first_, "annotations_left_out", annotations);
  first_ += '}';
}

void LeftOut::append_json(std::string& out) const {
  out += '{';
  append_member(out, "images", images_);
  out += ',';
  append_member(out, "annotations_left_out", annotations_);
  out += ",\"first\":[\n" + first_ + "]}";
}

}  // namespace annolog::workers
