// Files that are whole or absent. Any thread; blocking, so never on an I/O thread.
// All failures of the system throw std::system_error that names the path.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace annolog::platform {

// Owns a file descriptor.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept;
  ~UniqueFd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset() noexcept;

 private:
  int fd_ = -1;
};

struct OpenMode {
  int flags = 0;  // as for open(2); O_CLOEXEC is added
  mode_t mode = 0600;
};
UniqueFd open_file(const std::filesystem::path& path, OpenMode how);
// All of it, through short writes and EINTR.
void write_all(const UniqueFd& fd, std::string_view bytes, const std::filesystem::path& path);
void sync_directory(const std::filesystem::path& folder);

// Temporary file beside the target, fsync, rename, fsync of the folder: after a crash there is
// either the old content or the new.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes,
                           mode_t mode = 0600);
// The whole file; throws std::system_error (file_too_large) past `max_bytes`.
std::string read_file(const std::filesystem::path& path, std::uint64_t max_bytes = 64ULL << 20);

// A folder of its own, removed with all it holds when the object goes; for tests and scratch work.
class TempDir {
 public:
  TempDir();
  explicit TempDir(const std::filesystem::path& parent);
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace annolog::platform
