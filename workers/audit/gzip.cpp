#include "workers/audit/gzip.hpp"

#include <array>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "workers/archive_handles.hpp"

namespace annolog::workers {
namespace {

void check(archive* of, int result, const char* what) {
  if (result >= ARCHIVE_WARN) return;
  const char* why = ::archive_error_string(of);
  throw std::runtime_error(std::string("gzip: ") + what + ": " + (why ? why : "unknown"));
}

}  // namespace

struct GzipWriter::State {
  explicit State(Sink to) : sink(std::move(to)) {}
  Sink sink;
  std::exception_ptr broken;  // of the sink; waits until libarchive is out of the way
  bool over = false;
  std::unique_ptr<archive_entry, FreeArchiveEntry> entry{::archive_entry_new()};
  // Last: freed first, while the rest is still there for its last writes.
  std::unique_ptr<archive, FreeArchiveWriter> gzip{::archive_write_new()};
};

namespace {

template <class State>
la_ssize_t write_gzip(archive*, void* client, const void* bytes, std::size_t length) {
  auto& state = *static_cast<State*>(client);
  if (!state.broken && !state.over) {
    try {
      state.sink({static_cast<const char*>(bytes), length});
    } catch (...) {
      state.broken = std::current_exception();
    }
  }
  return static_cast<la_ssize_t>(length);
}

}  // namespace

GzipWriter::GzipWriter(Sink sink) : state_(std::make_unique<State>(std::move(sink))) {
  archive* gzip = state_->gzip.get();
  if (gzip == nullptr || !state_->entry) throw std::bad_alloc();
  check(gzip, ::archive_write_set_format_raw(gzip), "choosing the format");
  check(gzip, ::archive_write_add_filter_gzip(gzip), "choosing the filter");
  check(gzip, ::archive_write_set_filter_option(gzip, "gzip", "timestamp", nullptr),
        "leaving the time out");
  check(gzip, ::archive_write_set_bytes_in_last_block(gzip, 1), "setting the block size");
  check(gzip, ::archive_write_open(gzip, state_.get(), nullptr, &write_gzip<State>, nullptr),
        "opening");
  ::archive_entry_set_filetype(state_->entry.get(), AE_IFREG);
  check(gzip, ::archive_write_header(gzip, state_->entry.get()), "starting");
}

GzipWriter::~GzipWriter() { state_->over = true; }

void GzipWriter::write(std::string_view bytes) {
  if (bytes.empty()) return;
  const la_ssize_t count = ::archive_write_data(state_->gzip.get(), bytes.data(), bytes.size());
  if (state_->broken) std::rethrow_exception(state_->broken);
  if (count < 0) check(state_->gzip.get(), ARCHIVE_FATAL, "writing");
}

void GzipWriter::finish() {
  const int result = ::archive_write_close(state_->gzip.get());
  if (state_->broken) std::rethrow_exception(state_->broken);
  check(state_->gzip.get(), result, "finishing");
  state_->over = true;
}

namespace {

// Hands out what is between line breaks, however the bytes come.
class Lines {
 public:
  Lines(std::size_t max_bytes, const std::function<bool(std::string_view)>& take)
      : max_bytes_(max_bytes), take_(take) {}

  bool add(std::string_view bytes) {
    for (;;) {
      const std::size_t end = bytes.find('\n');
      gathered_ += bytes.substr(0, end);
      if (gathered_.size() > max_bytes_) throw std::runtime_error("a line is too long");
      if (end == std::string_view::npos) return true;
      const bool go_on = take_(gathered_);
      gathered_.clear();
      if (!go_on) return false;
      bytes.remove_prefix(end + 1);
    }
  }
  void finish() {
    if (!gathered_.empty()) take_(gathered_);
  }

 private:
  const std::size_t max_bytes_;
  const std::function<bool(std::string_view)>& take_;
  std::string gathered_;
};

}  // namespace

void each_line(const std::filesystem::path& file, std::size_t max_line_bytes,
               const std::function<bool(std::string_view)>& take) {
  const std::unique_ptr<archive, FreeArchiveReader> reader(::archive_read_new());
  archive* gzip = reader.get();
  if (gzip == nullptr) throw std::bad_alloc();
  check(gzip, ::archive_read_support_filter_gzip(gzip), "choosing the filter");
  check(gzip, ::archive_read_support_format_raw(gzip), "choosing the format");
  check(gzip, ::archive_read_support_format_empty(gzip), "choosing the format");
  constexpr std::size_t kBlock = 1U << 16U;
  check(gzip, ::archive_read_open_filename(gzip, file.c_str(), kBlock), "opening");
  archive_entry* entry = nullptr;
  const int begun = ::archive_read_next_header(gzip, &entry);
  if (begun == ARCHIVE_EOF) return;
  check(gzip, begun, "reading");
  Lines lines(max_line_bytes, take);
  std::array<char, kBlock> buffer{};
  for (;;) {
    const la_ssize_t count = ::archive_read_data(gzip, buffer.data(), buffer.size());
    if (count < 0) check(gzip, ARCHIVE_FATAL, "reading");
    if (count == 0) break;
    if (!lines.add({buffer.data(), static_cast<std::size_t>(count)})) return;
  }
  lines.finish();
}

}  // namespace annolog::workers
