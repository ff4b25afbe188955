#include "workers/export/export.hpp"

#include <algorithm>
#include <utility>

#include "workers/export/formats.hpp"

namespace annolog::workers {
namespace {

bool is_safe(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

std::string safe_name(std::string text) {
  std::replace_if(text.begin(), text.end(), [](char c) { return !is_safe(c); }, '-');
  return text;
}

std::string_view name_of(ExportFormat format) {
  switch (format) {
    case ExportFormat::coco: return "coco";
    case ExportFormat::voc: return "voc";
    case ExportFormat::yolo: return "yolo";
    case ExportFormat::native_json: break;
  }
  return "native";
}

bool is_zip(ExportFormat format) {
  return format == ExportFormat::voc || format == ExportFormat::yolo;
}

}  // namespace

Result<ExportFormat> parse_export_format(std::string_view name) {
  if (name == "coco") return ExportFormat::coco;
  if (name == "voc") return ExportFormat::voc;
  if (name == "yolo") return ExportFormat::yolo;
  if (name == "native_json") return ExportFormat::native_json;
  return validation_error(
      {{{"format"}, "The format must be one of coco, voc, yolo, native_json.", "unknown_format"}});
}

Result<void> check_exportable(std::string_view type_key, ExportFormat format) {
  const bool holds_tracks = type_key == "video-track" && format == ExportFormat::native_json;
  if (!type_key.starts_with("video-") || holds_tracks) return success();
  return DomainError{DomainError::Kind::bad_request,
                     "EXPORT_NOT_SUPPORTED",
                     "A project of type " + std::string(type_key) + " can't be exported as " +
                         std::string(name_of(format)) + ".",
                     {},
                     {},
                     0};
}

std::string_view export_content_type(ExportFormat format) {
  return is_zip(format) ? "application/zip" : "application/json";
}

std::string export_file_name(const ExportProject& project, ExportFormat format) {
  std::string name = safe_name(project.display_id);
  if (project.batch_display_id) name += "_" + safe_name(*project.batch_display_id);
  name += "_" + std::string(name_of(format));
  return name + (is_zip(format) ? ".zip" : ".json");
}

ExportSummary write_export(ExportFormat format, ExportSource& source, const ExportOptions& options,
                           ByteSink& sink) {
  switch (format) {
    case ExportFormat::coco: return write_coco(source, options, sink);
    case ExportFormat::voc: return write_voc(source, options, sink);
    case ExportFormat::yolo: return write_yolo(source, options, sink);
    case ExportFormat::native_json: break;
  }
  return write_native_json(source, options, sink);
}

}  // namespace annolog::workers
