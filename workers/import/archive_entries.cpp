#include "workers/import/archive_entries.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <new>
#include <system_error>

#include "workers/archive_handles.hpp"
#include "workers/export/utf8_locale.hpp"
#include "workers/import/document_reader.hpp"
#include "workers/import/entry_names.hpp"

namespace annolog::workers {
namespace {

constexpr std::size_t kPieceBytes = 64 * 1024;

// A zip ends with its directory's end: one that was cut off is told from a whole one there.
bool has_end(const std::filesystem::path& path) {
  constexpr std::streamoff kEndBytes = 22;
  constexpr std::streamoff kCommentMax = 65'535;
  constexpr std::string_view kEnd{"PK\005\006", 4};
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file.tellg();
  if (size < kEndBytes) return false;
  std::string tail(static_cast<std::size_t>(std::min(size, kEndBytes + kCommentMax)), '\0');
  file.seekg(size - static_cast<std::streamoff>(tail.size()));
  file.read(tail.data(), static_cast<std::streamsize>(tail.size()));
  return file && tail.rfind(kEnd) != std::string::npos;
}

// Of the entry at hand: "ZIP 2.0 (deflation)".
bool is_packed_by(archive* zip, std::string_view method) {
  const char* format = ::archive_format_name(zip);
  return format != nullptr && std::string_view(format).ends_with(method);
}

constexpr std::string_view kDeflated = "(deflation)";
constexpr std::string_view kStored = "(uncompressed)";

bool is_of_no_interest(std::string_view name) {
  const std::string_view bare = name.substr(name.rfind('/') + 1);
  return bare.empty() || bare.starts_with("._") || name.starts_with("__MACOSX/") ||
         name.find("/__MACOSX/") != std::string_view::npos;
}

}  // namespace

struct ArchiveEntries::State {
  std::unique_ptr<archive, FreeArchiveReader> zip{::archive_read_new()};
  archive_entry* entry = nullptr;  // at hand; the archive's own
  bool over = false;
  std::array<char, kPieceBytes> piece{};
};

ArchiveEntries::ArchiveEntries(std::filesystem::path file, const std::function<bool()>& stopping,
                               ArchiveLimits limits)
    : file_(std::move(file)), stopping_(stopping), limits_(limits) {}

ArchiveEntries::~ArchiveEntries() = default;

DomainError ArchiveEntries::broken() const {
  archive* zip = state_->zip.get();
  const int error = ::archive_errno(zip);
  if (error == ENOMEM) throw std::bad_alloc();
  if (error == EIO) throw std::system_error(error, std::generic_category(), "reading a zip");
  const char* reason = ::archive_error_string(zip);
  return bad_document("INVALID_ARCHIVE",
                      "The zip can't be read" +
                          (name_.empty() ? std::string() : " at " + shown_name(name_)) + ": " +
                          shown_name(reason == nullptr ? "it ends too early" : reason) + ".");
}

Result<void> ArchiveEntries::open() {
  if (!has_end(file_)) {
    return bad_document("INVALID_ARCHIVE", "The document is no zip, or was cut off.");
  }
  state_ = std::make_unique<State>();
  archive* zip = state_->zip.get();
  if (zip == nullptr) throw std::bad_alloc();
  if (::archive_read_support_format_zip_streamable(zip) != ARCHIVE_OK ||
      ::archive_read_open_filename(zip, file_.c_str(), kPieceBytes) != ARCHIVE_OK) {
    return broken();
  }
  return success();
}

Result<bool> ArchiveEntries::next() {
  if (!state_) {
    BOOST_OUTCOME_TRY(open());
  }
  for (;;) {
    if (state_->over || stopping_()) return false;
    BOOST_OUTCOME_TRY(pass_over());
    if (state_->over) return false;
    const Utf8Locale locale;
    const int result = ::archive_read_next_header(state_->zip.get(), &state_->entry);
    if (result == ARCHIVE_EOF) {
      state_->over = true;
      return false;
    }
    if (result < ARCHIVE_WARN) return broken();
    if (++entries_ > limits_.entries) {
      return bad_document("ARCHIVE_TOO_LARGE",
                          "A zip has at most " + std::to_string(limits_.entries) + " entries.");
    }
    const char* name = ::archive_entry_pathname(state_->entry);
    name_ = name == nullptr ? "" : name;
    std::ranges::replace(name_, '\\', '/');
    if (::archive_entry_is_encrypted(state_->entry) != 0) {
      return bad_document("ARCHIVE_ENCRYPTED",
                          "The zip's entries are encrypted: " + shown_name(name_) + ".");
    }
    if (!is_of_no_interest(name_)) return true;
  }
}

Result<void> ArchiveEntries::pass_over() {
  if (state_->entry == nullptr) return success();
  // What is stored is jumped over. The rest is counted: its head need not tell how long it gets.
  if (!is_packed_by(state_->zip.get(), kDeflated)) {
    if (::archive_read_data_skip(state_->zip.get()) < ARCHIVE_WARN) return broken();
  } else {
    for (;;) {
      BOOST_OUTCOME_TRY(const auto piece, some());
      if (piece.empty()) break;
    }
  }
  state_->entry = nullptr;
  return success();
}

Result<std::string_view> ArchiveEntries::some() {
  archive* zip = state_->zip.get();
  if (stopping_()) {
    state_->over = true;
    return std::string_view();
  }
  // Decoders of other methods take as much memory as the entry's head asks for.
  if (!is_packed_by(zip, kDeflated) && !is_packed_by(zip, kStored)) {
    return bad_document("UNSUPPORTED_COMPRESSION",
                        "Entries are stored or deflated; not so: " + shown_name(name_) + ".");
  }
  const la_ssize_t count = ::archive_read_data(zip, state_->piece.data(), state_->piece.size());
  if (count < 0) return broken();
  unpacked_ += count;
  if (unpacked_ > limits_.unpacked_bytes) {
    return bad_document("ARCHIVE_TOO_LARGE", "A zip holds at most " +
                                                 std::to_string(limits_.unpacked_bytes) +
                                                 " bytes when it is unpacked.");
  }
  return std::string_view(state_->piece.data(), static_cast<std::size_t>(count));
}

Result<std::optional<std::string>> ArchiveEntries::contents(std::size_t max_bytes) {
  std::string all;
  for (;;) {
    BOOST_OUTCOME_TRY(const auto piece, some());
    if (piece.empty()) return std::optional(std::move(all));
    if (all.size() + piece.size() > max_bytes) return std::optional<std::string>();
    all += piece;
  }
}

Result<void> ArchiveEntries::lines(const std::function<void(std::string_view line)>& visit) {
  std::string line;
  bool too_long = false;
  const auto end_line = [&] {
    if (line.ends_with('\r')) line.pop_back();
    if (!too_long && !line.empty()) visit(line);
    line.clear();
    too_long = false;
  };
  for (;;) {
    BOOST_OUTCOME_TRY(std::string_view piece, some());
    if (piece.empty()) break;
    while (!piece.empty()) {
      const std::size_t end = std::min(piece.find('\n'), piece.size());
      if (line.size() + end > limits_.line_bytes) too_long = true;
      if (too_long) line.clear();
      else line += piece.substr(0, end);
      if (end == piece.size()) break;
      end_line();
      piece.remove_prefix(end + 1);
    }
  }
  end_line();
  return success();
}

}  // namespace annolog::workers
