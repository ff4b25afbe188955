// Writes a project's annotations as a COCO document, a VOC or YOLO zip, or the platform's own JSON.
// One thread per export; source and sink belong to it. Streams: the first bytes leave before the
// first image is asked for, memory does not grow with the number of images in JSON formats (a zip
// keeps its directory: see README.md). The same source gives the same bytes.
// Source: the specification's Export section; decisions, section 7b.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "domain/support/result.hpp"
#include "workers/export/source.hpp"

namespace annolog::workers {

// Where the bytes go. May block (backpressure). Throws when the reader is gone, which ends the
// export: the exception reaches the caller of write_export().
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void write(std::string_view bytes) = 0;
};

enum class ExportFormat { coco, voc, yolo, native_json };

struct ExportOptions {
  bool include_attributes = true;
  std::string platform_version;  // goes into native_json
};

struct ExportSummary {
  std::uint64_t images = 0;
  std::uint64_t annotations = 0;  // written
  std::uint64_t skipped = 0;      // left out, because the format can't hold them
};

// The `format` parameter; refuses an unknown one with 422 VALIDATION_ERROR.
Result<ExportFormat> parse_export_format(std::string_view name);

// Whether a project of that type can be written so; call it before the first byte. Refuses with
// EXPORT_NOT_SUPPORTED (bad_request).
Result<void> check_exportable(std::string_view type_key, ExportFormat format);

std::string_view export_content_type(ExportFormat format);
// E.g. P-7_coco.json, P-7_B-3_yolo.zip: letters, digits, `-`, `_` and `.` only.
std::string export_file_name(const ExportProject& project, ExportFormat format);

ExportSummary write_export(ExportFormat format, ExportSource& source, const ExportOptions& options,
                           ByteSink& sink);

}  // namespace annolog::workers
