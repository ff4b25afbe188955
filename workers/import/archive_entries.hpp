// The entries of a zip on disk, one after another, in bounded memory: neither the number of entries
// nor what they unpack to is believed before it is counted. Read as a stream, by the entries' own
// heads: libarchive's seekable reader keeps some 200 bytes for each entry that the directory names
// before it gives the first. Names become no files, so they may be anything. One thread; a disk
// that fails throws.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "domain/support/result.hpp"

namespace annolog::workers {

struct ArchiveLimits {
  std::int64_t entries = 4'000'000;
  std::int64_t unpacked_bytes = std::int64_t{16} << 30;
  std::size_t line_bytes = std::size_t{16} << 10;  // longer lines of a list are passed over
};

// Errors are 422s of the document as a whole: INVALID_ARCHIVE, ARCHIVE_ENCRYPTED,
// ARCHIVE_TOO_LARGE, UNSUPPORTED_COMPRESSION.
class ArchiveEntries {
 public:
  ArchiveEntries(std::filesystem::path file, const std::function<bool()>& stopping,
                 ArchiveLimits limits = {});
  ~ArchiveEntries();
  ArchiveEntries(const ArchiveEntries&) = delete;
  ArchiveEntries& operator=(const ArchiveEntries&) = delete;

  // The next file; folders and what a Mac puts beside files are passed over. False after the last,
  // or when the import is to stop.
  Result<bool> next();
  // Of the entry at hand, with forward slashes; any bytes.
  const std::string& name() const { return name_; }
  // Its contents; absent when there are more bytes.
  Result<std::optional<std::string>> contents(std::size_t max_bytes);
  // Its lines without their ends, one after another.
  Result<void> lines(const std::function<void(std::string_view line)>& visit);

 private:
  struct State;
  Result<void> open();
  Result<void> pass_over();
  // Some more of the contents; empty at their end.
  Result<std::string_view> some();
  DomainError broken() const;

  std::filesystem::path file_;
  const std::function<bool()>& stopping_;
  ArchiveLimits limits_;
  std::unique_ptr<State> state_;
  std::string name_;
  std::int64_t entries_ = 0;
  std::int64_t unpacked_ = 0;
};

}  // namespace annolog::workers
