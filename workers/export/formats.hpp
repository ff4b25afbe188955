// The writers behind write_export(), one per format, and the buffer they write through. Internal to
// workers/export; one thread per export.
#pragma once

#include <string>
#include <string_view>

#include "workers/export/export.hpp"

namespace annolog::workers {

// Gathers small pieces into large writes. flush() at the end is the owner's duty; after an
// exception what is left is dropped.
class BufferedOutput {
 public:
  explicit BufferedOutput(ByteSink& sink) : sink_(sink) {}
  // Append here, then call settle().
  std::string& text() { return text_; }
  void settle() {
    if (text_.size() >= kFlushBytes) flush();
  }
  void flush() {
    if (!text_.empty()) sink_.write(text_);
    text_.clear();
  }

 private:
  static constexpr std::size_t kFlushBytes = 64 * 1024;
  ByteSink& sink_;
  std::string text_;
};

ExportSummary write_coco(ExportSource& source, const ExportOptions& options, ByteSink& sink);
ExportSummary write_voc(ExportSource& source, const ExportOptions& options, ByteSink& sink);
ExportSummary write_yolo(ExportSource& source, const ExportOptions& options, ByteSink& sink);
ExportSummary write_native_json(ExportSource& source, const ExportOptions& options, ByteSink& sink);

}  // namespace annolog::workers
