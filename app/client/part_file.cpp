#include "app/client/part_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace annolog::client {

PartFile::PartFile(std::filesystem::path target)
    : target_(std::move(target)), part_(target_.string() + ".part") {
  descriptor_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor_ < 0) fail("cannot create ");
}

PartFile::~PartFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!kept_) ::unlink(part_.c_str());
}

void PartFile::fail(const char* what) const {
  throw std::system_error(errno, std::generic_category(), what + part_.string());
}

void PartFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write ");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void PartFile::restart() {
  if (::ftruncate(descriptor_, 0) != 0 || ::lseek(descriptor_, 0, SEEK_SET) != 0) {
    fail("cannot empty ");
  }
}

void PartFile::keep() {
  if (::fsync(descriptor_) != 0) fail("cannot sync ");
  if (::rename(part_.c_str(), target_.c_str()) != 0) fail("cannot rename ");
  kept_ = true;
  const auto folder = target_.has_parent_path() ? target_.parent_path() : ".";
  const int directory = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;  // the file is there; only its name may not survive a power cut
  ::fsync(directory);
  ::close(directory);
}

}  // namespace annolog::client
