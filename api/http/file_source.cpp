#include "api/http/file_source.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/http/blocking.hpp"

namespace annolog::http {
namespace {

class FileSource final : public ByteSource {
 public:
  FileSource(platform::ThreadPool& pool, int descriptor, std::uint64_t size)
      : pool_(pool), descriptor_(descriptor), size_(size) {}
  ~FileSource() override { ::close(descriptor_); }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  std::uint64_t size() const override { return size_; }

  awaitable<std::size_t> read_at(std::uint64_t offset, std::span<char> buffer) override {
    const auto count = co_await blocking(pool_, [this, offset, buffer]() -> std::size_t {
      while (true) {
        const ssize_t got =
            ::pread(descriptor_, buffer.data(), buffer.size(), static_cast<off_t>(offset));
        if (got >= 0) return static_cast<std::size_t>(got);
        if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "pread");
      }
    });
    if (!count) throw Unavailable(count.assume_error().message);
    co_return count.assume_value();
  }

 private:
  platform::ThreadPool& pool_;
  int descriptor_;
  std::uint64_t size_;
};

Result<SourceBody> open_now(platform::ThreadPool& pool, const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP) return not_found("file");
    throw std::system_error(errno, std::generic_category(), "can't open a file");
  }
  struct stat status{};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(descriptor);
    return not_found("file");
  }
  return SourceBody(
      std::make_shared<FileSource>(pool, descriptor, static_cast<std::uint64_t>(status.st_size)));
}

}  // namespace

awaitable<Result<SourceBody>> open_file(platform::ThreadPool& pool, std::string path) {
  co_return co_await blocking(pool, [&] { return open_now(pool, path); });
}

}  // namespace annolog::http
