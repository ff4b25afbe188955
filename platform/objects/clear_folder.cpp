#include "platform/objects/clear_folder.hpp"

#include <dirent.h>
#include <fcntl.h>

#include <cerrno>
#include <memory>
#include <string>
#include <system_error>

namespace annolog::platform {
namespace {

[[noreturn]] void give_up(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), "object store: " + what);
}

}  // namespace

bool clear_folder(Fd folder, const std::function<bool()>& stop) {
  const int fd = folder.get();
  const auto close_folder = [](DIR* open) { ::closedir(open); };
  const int copy = ::openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (copy < 0) give_up(errno, "reading a folder to be removed");
  const std::unique_ptr<DIR, decltype(close_folder)> entries(::fdopendir(copy));
  if (!entries) give_up(errno, "reading a folder to be removed");
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (stop()) return false;
    if (::unlinkat(fd, name.c_str(), 0) == 0 || errno == ENOENT) continue;
    if (errno != EISDIR && errno != EPERM) give_up(errno, "removing an object");
    Fd inner(::openat(fd, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!inner) give_up(errno, "opening a folder to be removed");
    if (!clear_folder(std::move(inner), stop)) return false;
    // Not empty: an upload came meanwhile. Whoever asks again removes that too.
    if (::unlinkat(fd, name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT && errno != ENOTEMPTY)
      give_up(errno, "removing a folder");
  }
  return true;
}

}  // namespace annolog::platform
