#include "app/client/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <exception>
#include <memory>
#include <ostream>
#include <string_view>

#include "app/client/api_client.hpp"
#include "app/client/digest.hpp"
#include "app/client/http_session.hpp"
#include "app/client/part_file.hpp"
#include "app/client/project_lookup.hpp"

namespace annolog::client {
namespace {

constexpr std::array<std::string_view, 4> kFormats{"coco", "voc", "yolo", "native_json"};

bool is_zip(std::string_view format) { return format == "voc" || format == "yolo"; }

// An id or a display id, and so a step of a path and a part of a file name too.
bool names_batch(std::string_view text) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-'; };
  return !text.empty() && std::ranges::all_of(text, fits);
}

// Where the document goes: a part file or the output stream; counted and digested on the way.
class Sink {
 public:
  Sink(const std::filesystem::path& output, std::ostream& out) : out_(out) {
    if (output != "-") file_ = std::make_unique<PartFile>(output);
  }

  bool write(std::string_view piece) {
    bytes_ += piece.size();
    digest_.update(piece);
    if (!file_)
      return static_cast<bool>(
          out_.write(piece.data(), static_cast<std::streamsize>(piece.size())));
    // An exception must not pass through libcurl: it is kept and thrown afterwards.
    try {
      file_->write(piece);
      return true;
    } catch (...) {
      fault_ = std::current_exception();
      return false;
    }
  }

  // A stream that was written to can't be taken back.
  bool restart() {
    if (bytes_ == 0) return true;
    if (!file_) return false;
    file_->restart();
    digest_.restart();
    bytes_ = 0;
    return true;
  }

  void rethrow_fault() const {
    if (fault_) std::rethrow_exception(fault_);
  }

  void keep() {
    if (file_) {
      file_->keep();
    } else {
      out_.flush();
      if (!out_) throw std::runtime_error("cannot write the output");
    }
  }

  std::uint64_t bytes() const { return bytes_; }
  std::string sha256() { return digest_.hex(); }

 private:
  std::ostream& out_;
  std::unique_ptr<PartFile> file_;
  Digest digest_{Digest::Kind::sha256};
  std::uint64_t bytes_ = 0;
  std::exception_ptr fault_;
};

std::string path_of(std::int64_t project, const ExportOptions& options) {
  const std::string batch = options.batch ? "/batches/" + *options.batch : "";
  std::string path = fmt::format("/projects/{}{}/export?format={}&include_attributes={}", project,
                                 batch, options.format, options.include_attributes);
  for (const std::string& status : options.statuses) path += "&status=" + url_encode(status);
  for (const std::string& name : options.classes) path += "&class=" + url_encode(name);
  return path;
}

std::string file_name_of(std::int64_t project, const ExportOptions& options) {
  return fmt::format("project-{}{}-{}.{}", project, options.batch ? "-batch-" + *options.batch : "",
                     options.format, is_zip(options.format) ? "zip" : "json");
}

int run(const ExportOptions& options, std::ostream& out, std::ostream& err) {
  ApiClient api(std::make_shared<Session>(options.connection));
  const auto fail = [&err](const std::string& why) {
    err << "error: " << why << '\n';
    return 1;
  };
  const auto project = find_project(api, options.project);
  if (!project) return fail(project.error().text());
  if (!project.value()) return fail("no project is called " + options.project);
  const std::int64_t id = id_in(*project.value());
  std::filesystem::path output = options.output;
  if (output.empty()) output = file_name_of(id, options);
  Sink sink(output, out);
  const auto done = api.download(
      path_of(id, options), [&sink](std::string_view piece) { return sink.write(piece); },
      [&sink] { return sink.restart(); });
  sink.rethrow_fault();
  if (!done) return fail(done.error().text());
  // libcurl refuses a body cut short of its length or of its last chunk; this covers a proxy that
  // changed the one and not the other.
  const std::string* length = done.value().header("content-length");
  if (length != nullptr && *length != std::to_string(sink.bytes())) {
    return fail(fmt::format("{} bytes came of {}", sink.bytes(), *length));
  }
  sink.keep();
  std::ostream& report = output == "-" ? err : out;
  report << fmt::format("{}: {} bytes, sha256 {}\n", output.string(), sink.bytes(), sink.sha256());
  return 0;
}

}  // namespace

int run_export(const ExportOptions& options, std::ostream& out, std::ostream& err) {
  if (std::ranges::find(kFormats, options.format) == kFormats.end()) {
    err << "error: the format must be coco, voc, yolo or native_json\n";
    return 2;
  }
  if (options.project.empty()) {
    err << "error: no project given\n";
    return 2;
  }
  if (options.batch && !names_batch(*options.batch)) {
    err << "error: the batch must be an id or a display id such as B-3\n";
    return 2;
  }
  try {
    return run(options, out, err);
  } catch (const std::exception& fault) {
    err << "error: " << fault.what() << '\n';
    return 1;
  }
}

}  // namespace annolog::client
