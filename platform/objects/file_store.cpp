#include "platform/objects/file_store.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "platform/encoding.hpp"
#include "platform/objects/clear_folder.hpp"
#include "platform/objects/fd.hpp"
#include "platform/objects/running_md5.hpp"
#include "platform/random.hpp"

namespace annolog::platform {
namespace {

constexpr const char* kPartialFolder = ".partial";
constexpr std::time_t kLeftoverAge_s = 3600;

[[noreturn]] void fail(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), "object store: " + what);
}

// The refusal that an errno stands for; throws when it stands for a broken medium. On Linux a
// symbolic link answers ELOOP, or ENOTDIR where a folder was asked for.
DomainError refusal(int error, const std::string& what) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return {DomainError::Kind::unavailable,
              "NO_SPACE",
              "The object store has no room left.",
              {},
              {},
              30};
    case EROFS:
      return {DomainError::Kind::unavailable,
              "STORE_READ_ONLY",
              "The object store can't be written to.",
              {},
              {},
              30};
    case ENOENT: return not_found("object");
    case ENOTDIR:
    case EISDIR:
    case EEXIST:
    case ENOTEMPTY:
      return {DomainError::Kind::conflict,
              "OBJECT_KEY_CONFLICT",
              "The key runs through another object or names a folder.",
              {},
              {},
              0};
    case ELOOP:
      return {DomainError::Kind::invalid,
              "INVALID_OBJECT_KEY",
              "The key runs through a symbolic link.",
              {},
              {},
              0};
    default: fail(error, what);
  }
}

bool is_symlink(int folder, const std::string& name) {
  struct stat info{};
  return ::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode);
}

void sync(int fd, const std::string& what) {
  if (::fsync(fd) != 0) fail(errno, "fsync of " + what);
}

enum class Missing { refuse, create };

// One step down, never through a symbolic link. A folder made here is durable before it is used.
Result<Fd> open_folder(int parent, const std::string& name, Missing missing) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  Fd folder(::openat(parent, name.c_str(), kFlags));
  if (!folder && errno == ENOENT && missing == Missing::create) {
    if (::mkdirat(parent, name.c_str(), 0750) != 0 && errno != EEXIST)
      return refusal(errno, "making folder " + name);
    sync(parent, "the folder above " + name);
    folder = Fd(::openat(parent, name.c_str(), kFlags));
  }
  if (folder) return folder;
  const int error = errno;
  return refusal(error == ENOTDIR && is_symlink(parent, name) ? ELOOP : error,
                 "opening folder " + name);
}

struct Place {
  Fd folder;  // none: the root itself
  int folder_fd;
  std::string name;
};

Result<Place> locate(int root, const ObjectKey& key, Missing missing) {
  const auto segments = key.segments();
  if (segments.front() == kPartialFolder)
    return DomainError{DomainError::Kind::invalid,
                       "INVALID_OBJECT_KEY",
                       "An object key must not begin with .partial: the store keeps it for itself.",
                       {},
                       {},
                       0};
  Place place{{}, root, std::string(segments.back())};
  for (std::size_t i = 0; i + 1 < segments.size(); ++i) {
    BOOST_OUTCOME_TRY(auto next, open_folder(place.folder_fd, std::string(segments[i]), missing));
    place.folder = std::move(next);
    place.folder_fd = place.folder.get();
  }
  return place;
}

// For reading, a key that runs through a file is just a key without an object.
DomainError as_missing(DomainError error) {
  if (error.code == "OBJECT_KEY_CONFLICT") return not_found("object");
  return error;
}

// A sealed object is one that not even its owner may write.
bool is_sealed(const Place& place) {
  struct stat info{};
  return ::fstatat(place.folder_fd, place.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISREG(info.st_mode) && (info.st_mode & S_IWUSR) == 0;
}

DomainError sealed_object() {
  return {DomainError::Kind::conflict,
          "OBJECT_SEALED",
          "The object is complete; it can't be written again.",
          {},
          {},
          0};
}

ObjectInfo to_info(const struct stat& info) {
  return {static_cast<std::uint64_t>(info.st_size),
          {std::int64_t{info.st_mtim.tv_sec} * 1000 + info.st_mtim.tv_nsec / 1'000'000}};
}

}  // namespace

struct FileStore::Folders {
  Fd root;
  Fd partial;
  // An object is sealed either before or after a write takes its place.
  mutable std::mutex placing;
};

namespace {

class FileWriter final : public ObjectWriter {
 public:
  FileWriter(std::shared_ptr<const void> keep_open, int root, int partial, std::mutex& placing,
             ObjectKey key, WriteLimits limits)
      : keep_open_(std::move(keep_open)),
        root_(root),
        partial_(partial),
        placing_(placing),
        key_(std::move(key)),
        limits_(limits),
        name_(to_hex(random_bytes(16))) {}

  ~FileWriter() override {
    if (file_ && !committed_) ::unlinkat(partial_, name_.c_str(), 0);
  }

  Result<void> open() {
    file_ = Fd(::openat(partial_, name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640));
    if (!file_) return refusal(errno, "starting an upload");
    // Held as long as the upload lives: tells other processes that this is no leftover.
    if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) fail(errno, "locking an upload");
    return success();
  }

  Result<void> write(std::span<const std::byte> bytes) override {
    if (bytes.size() > limits_.max_bytes - size_bytes_)
      return DomainError{
          DomainError::Kind::too_large,
          "OBJECT_TOO_LARGE",
          "The object may have at most " + std::to_string(limits_.max_bytes) + " bytes.",
          {},
          {},
          0};
    for (auto rest = bytes; !rest.empty();) {
      const ssize_t count = ::write(file_.get(), rest.data(), rest.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return refusal(errno, "writing an upload");
      rest = rest.subspan(static_cast<std::size_t>(count));
    }
    md5_.add(bytes);
    size_bytes_ += bytes.size();
    return success();
  }

  WrittenObject written() const override { return {size_bytes_, md5_.hex()}; }

  Result<WrittenObject> commit() override {
    if (committed_) throw std::logic_error("object store: an upload was committed twice");
    // Some file systems find room only now, so a full disk is a refusal here too.
    if (::fsync(file_.get()) != 0) return refusal(errno, "fsync of an upload");
    BOOST_OUTCOME_TRY(const auto place, locate(root_, key_, Missing::create));
    const std::lock_guard guard(placing_);
    if (is_sealed(place)) return sealed_object();
    if (::renameat(partial_, name_.c_str(), place.folder_fd, place.name.c_str()) != 0)
      return refusal(errno == ENOENT ? EIO : errno, "renaming an upload into place");
    committed_ = true;
    sync(place.folder_fd, "the folder of an object");
    return written();
  }

 private:
  std::shared_ptr<const void> keep_open_;
  int root_;
  int partial_;
  std::mutex& placing_;
  ObjectKey key_;
  WriteLimits limits_;
  std::string name_;  // below the partial folder
  Fd file_;
  RunningMd5 md5_;
  std::uint64_t size_bytes_ = 0;
  bool committed_ = false;
};

class FileReader final : public ObjectReader {
 public:
  FileReader(Fd file, ObjectInfo info) : file_(std::move(file)), info_(info) {}
  std::uint64_t size_bytes() const override { return info_.size_bytes; }
  ObjectInfo info() const override { return info_; }

  std::size_t read_at(std::uint64_t offset, std::span<std::byte> into) override {
    if (offset >= info_.size_bytes) return 0;
    const std::uint64_t left = info_.size_bytes - offset;
    if (into.size() > left) into = into.first(static_cast<std::size_t>(left));
    std::size_t done = 0;
    while (done < into.size()) {
      const ssize_t count = ::pread(file_.get(), into.data() + done, into.size() - done,
                                    static_cast<off_t>(offset + done));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail(errno, "reading an object");
      if (count == 0) break;  // cut by somebody else since it was opened
      done += static_cast<std::size_t>(count);
    }
    return done;
  }

 private:
  Fd file_;
  ObjectInfo info_;
};

// Removes uploads that no process holds any more. Young ones are spared: a writer in another
// process locks its file a moment after making it.
void clear_leftovers(int partial) {
  const int copy = ::openat(partial, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (copy < 0) fail(errno, "reading .partial");
  const auto close_folder = [](DIR* open) { ::closedir(open); };
  const std::unique_ptr<DIR, decltype(close_folder)> folder(::fdopendir(copy));
  if (!folder) fail(errno, "reading .partial");
  while (const dirent* entry = ::readdir(folder.get())) {
    const Fd file(::openat(partial, entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat info{};
    if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    if (info.st_mtim.tv_sec > ::time(nullptr) - kLeftoverAge_s) continue;
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) continue;
    ::unlinkat(partial, entry->d_name, 0);
  }
}

}  // namespace

FileStore::FileStore(const std::filesystem::path& root) {
  std::filesystem::create_directories(root);
  auto folders = std::make_shared<Folders>();
  folders->root = Fd(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folders->root) fail(errno, "opening " + root.string());
  auto partial = open_folder(folders->root.get(), kPartialFolder, Missing::create);
  if (!partial) throw std::runtime_error("object store: .partial: " + partial.error().message);
  folders->partial = std::move(partial).value();
  clear_leftovers(folders->partial.get());
  folders_ = std::move(folders);
}

FileStore::~FileStore() = default;

Result<std::unique_ptr<ObjectWriter>> FileStore::begin_write(const ObjectKey& key,
                                                             WriteLimits limits) {
  // A key that can't be committed is refused before gigabytes arrive. Missing folders are fine.
  const auto place = locate(folders_->root.get(), key, Missing::refuse);
  if (!place && place.error().code != "NOT_FOUND") return place.error();
  struct stat info{};
  if (place &&
      ::fstatat(place.value().folder_fd, place.value().name.c_str(), &info, AT_SYMLINK_NOFOLLOW) ==
          0 &&
      S_ISDIR(info.st_mode))
    return refusal(EISDIR, "starting an upload");
  auto writer = std::make_unique<FileWriter>(
      folders_, folders_->root.get(), folders_->partial.get(), folders_->placing, key, limits);
  BOOST_OUTCOME_TRY(writer->open());
  return std::unique_ptr<ObjectWriter>(std::move(writer));
}

Result<ObjectInfo> FileStore::stat(const ObjectKey& key) {
  const auto place = locate(folders_->root.get(), key, Missing::refuse);
  if (!place) return as_missing(place.error());
  struct stat info{};
  if (::fstatat(place.value().folder_fd, place.value().name.c_str(), &info, AT_SYMLINK_NOFOLLOW) !=
      0)
    return refusal(errno, "looking up an object");
  if (S_ISLNK(info.st_mode)) return refusal(ELOOP, "looking up an object");
  if (!S_ISREG(info.st_mode)) return not_found("object");
  return to_info(info);
}

Result<std::unique_ptr<ObjectReader>> FileStore::open_read(const ObjectKey& key) {
  const auto place = locate(folders_->root.get(), key, Missing::refuse);
  if (!place) return as_missing(place.error());
  // O_NONBLOCK: a pipe that somebody put there must not hold us up.
  Fd file(::openat(place.value().folder_fd, place.value().name.c_str(),
                   O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file) return refusal(errno == ENXIO ? ENOENT : errno, "opening an object");
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) fail(errno, "looking up an object");
  if (!S_ISREG(info.st_mode)) return not_found("object");
  return std::unique_ptr<ObjectReader>(
      std::make_unique<FileReader>(std::move(file), to_info(info)));
}

Result<void> FileStore::set_sealed(const ObjectKey& key, bool sealed) {
  const auto place = locate(folders_->root.get(), key, Missing::refuse);
  if (!place) return as_missing(place.error());
  const std::lock_guard guard(folders_->placing);
  const Fd file(::openat(place.value().folder_fd, place.value().name.c_str(),
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file) return refusal(errno == ENXIO ? ENOENT : errno, "opening an object to seal it");
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) fail(errno, "looking up an object");
  if (!S_ISREG(info.st_mode)) return not_found("object");
  if (::fchmod(file.get(), sealed ? 0440 : 0640) != 0) return refusal(errno, "sealing an object");
  sync(file.get(), "a sealed object");
  return success();
}

Result<bool> FileStore::remove(const ObjectKey& key) {
  const auto place = locate(folders_->root.get(), key, Missing::refuse);
  if (!place) {
    const DomainError error = as_missing(place.error());
    if (error.code == "NOT_FOUND") return false;
    return error;
  }
  if (::unlinkat(place.value().folder_fd, place.value().name.c_str(), 0) != 0) {
    if (errno == ENOENT || errno == EISDIR) return false;
    return refusal(errno, "removing an object");
  }
  sync(place.value().folder_fd, "the folder of a removed object");
  return true;
}

Result<bool> FileStore::remove_all(const ObjectKey& key, const std::function<bool()>& stop) {
  BOOST_OUTCOME_TRY(const bool was_object, remove(key));
  if (was_object) return true;
  const auto place = locate(folders_->root.get(), key, Missing::refuse);
  if (!place) {
    const DomainError error = as_missing(place.error());
    if (error.code == "NOT_FOUND") return true;
    return error;
  }
  auto folder = open_folder(place.value().folder_fd, place.value().name, Missing::refuse);
  if (!folder) {
    const DomainError error = as_missing(folder.error());
    if (error.code == "NOT_FOUND") return true;
    return error;
  }
  if (!clear_folder(std::move(folder).value(), stop)) return false;
  if (::unlinkat(place.value().folder_fd, place.value().name.c_str(), AT_REMOVEDIR) != 0 &&
      errno != ENOENT && errno != ENOTEMPTY)
    return refusal(errno, "removing a folder");
  sync(place.value().folder_fd, "the folder above a removed one");
  return true;
}

}  // namespace annolog::platform
