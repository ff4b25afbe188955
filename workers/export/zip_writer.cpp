#include "workers/export/zip_writer.hpp"

#include <exception>
#include <stdexcept>
#include <system_error>

#include "workers/archive_handles.hpp"
#include "workers/export/formats.hpp"
#include "workers/export/utf8_locale.hpp"

namespace annolog::workers {

struct ZipWriter::State {
  explicit State(ByteSink& sink) : output(sink) {}
  BufferedOutput output;
  std::exception_ptr broken;  // of the sink; waits until libarchive is out of the way
  bool over = false;          // finished, or given up
  std::unique_ptr<archive_entry, FreeArchiveEntry> entry{::archive_entry_new()};
  // Last: freed first, while the rest is still there for its last writes.
  std::unique_ptr<archive, FreeArchiveWriter> zip{::archive_write_new()};
};

namespace {

// Never reports a failure: after one the library would forget to free an open entry. Once the sink
// is broken, or the archive given up, what still comes is dropped; check() throws.
template <class State>
la_ssize_t write_zip(archive*, void* client, const void* bytes, std::size_t length) {
  auto& state = *static_cast<State*>(client);
  if (!state.broken && !state.over) {
    try {
      state.output.text().append(static_cast<const char*>(bytes), length);
      state.output.settle();
    } catch (...) {
      state.broken = std::current_exception();
    }
  }
  return static_cast<la_ssize_t>(length);
}

}  // namespace

ZipWriter::ZipWriter(ByteSink& sink) : state_(std::make_unique<State>(sink)) {
  archive* zip = state_->zip.get();
  if (zip == nullptr || !state_->entry) throw std::bad_alloc();
  check(::archive_write_set_format_zip(zip), "choosing the format");
  check(::archive_write_set_bytes_per_block(zip, 0), "setting the block size");
  check(::archive_write_set_bytes_in_last_block(zip, 1), "setting the block size");
  check(::archive_write_open(zip, state_.get(), nullptr, &write_zip<State>, nullptr), "opening");
}

ZipWriter::~ZipWriter() {
  // Freeing an archive closes it, which writes a directory: an unfinished one must not look whole.
  state_->over = true;
}

void ZipWriter::begin(const std::string& name) {
  const Utf8Locale locale;
  archive_entry* entry = ::archive_entry_clear(state_->entry.get());
  ::archive_entry_set_pathname(entry, name.c_str());
  ::archive_entry_set_filetype(entry, AE_IFREG);
  ::archive_entry_set_perm(entry, 0644);
  check(::archive_write_header(state_->zip.get(), entry), "starting an entry");
}

void ZipWriter::add(std::string_view contents) {
  if (contents.empty()) return;
  const la_ssize_t count =
      ::archive_write_data(state_->zip.get(), contents.data(), contents.size());
  check(count == static_cast<la_ssize_t>(contents.size()) ? ARCHIVE_OK : ARCHIVE_FATAL,
        "writing an entry");
}

void ZipWriter::flush() { state_->output.flush(); }

void ZipWriter::finish() {
  check(::archive_write_close(state_->zip.get()), "closing");
  state_->over = true;
  state_->output.flush();
}

void ZipWriter::check(long result, const char* what) {
  if (state_->broken) std::rethrow_exception(state_->broken);
  if (result == ARCHIVE_OK) return;
  const char* reason = ::archive_error_string(state_->zip.get());
  throw std::runtime_error(std::string("zip: ") + what + ": " +
                           (reason != nullptr ? reason : "unknown error"));
}

}  // namespace annolog::workers
