#include "platform/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "platform/encoding.hpp"
#include "platform/random.hpp"

namespace annolog::platform {
namespace {

[[noreturn]] void fail(const char* what, const std::filesystem::path& path, int error = errno) {
  throw std::system_error(error, std::generic_category(), std::string(what) + " " + path.string());
}

void sync_fd(const UniqueFd& fd, const std::filesystem::path& path) {
  if (::fsync(fd.get()) != 0) fail("fsync", path);
}

}  // namespace

UniqueFd& UniqueFd::operator=(UniqueFd&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}

void UniqueFd::reset() noexcept {
  // Not repeated on EINTR: on Linux the descriptor is gone either way.
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

UniqueFd open_file(const std::filesystem::path& path, OpenMode how) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), how.flags | O_CLOEXEC, how.mode);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) fail("open", path);
  return UniqueFd(fd);
}

void write_all(const UniqueFd& fd, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd.get(), bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail("write", path);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void sync_directory(const std::filesystem::path& folder) {
  sync_fd(open_file(folder, {O_RDONLY | O_DIRECTORY}), folder);
}

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes, mode_t mode) {
  std::filesystem::path temporary = path;
  temporary += ".tmp-" + to_hex(random_bytes(8));
  UniqueFd fd = open_file(temporary, {O_WRONLY | O_CREAT | O_EXCL, mode});
  try {
    // The umask may have taken bits away that the caller asked for.
    if (::fchmod(fd.get(), mode) != 0) fail("chmod", temporary);
    write_all(fd, bytes, temporary);
    sync_fd(fd, temporary);
    if (::close(fd.release()) != 0) fail("close", temporary);
    if (::rename(temporary.c_str(), path.c_str()) != 0) fail("rename to", path);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  sync_directory(path.has_parent_path() ? path.parent_path() : ".");
}

std::string read_file(const std::filesystem::path& path, std::uint64_t max_bytes) {
  const UniqueFd fd = open_file(path, {O_RDONLY});
  std::string content;
  char buffer[64 * 1024];
  for (;;) {
    const ssize_t got = ::read(fd.get(), buffer, sizeof buffer);
    if (got < 0) {
      if (errno == EINTR) continue;
      fail("read", path);
    }
    if (got == 0) return content;
    if (content.size() + static_cast<std::size_t>(got) > max_bytes) fail("read", path, EFBIG);
    content.append(buffer, static_cast<std::size_t>(got));
  }
}

TempDir::TempDir() : TempDir(std::filesystem::temp_directory_path()) {}

TempDir::TempDir(const std::filesystem::path& parent)
    : path_(parent / ("annolog-" + to_hex(random_bytes(8)))) {
  if (::mkdir(path_.c_str(), 0700) != 0) fail("mkdir", path_);
}

TempDir::~TempDir() {
  std::error_code ignored;  // nobody is left to tell
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace annolog::platform
