#include "eventstore/files/file_subject_keys.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <system_error>
#include <utility>

#include "eventstore/chain.hpp"
#include "eventstore/errors.hpp"

namespace annolog::eventstore {
namespace {

constexpr std::size_t kKeySize = std::tuple_size_v<SubjectKey>;
constexpr std::size_t kCheckSize = 8;  // of SHA-256(subject, key): tells a damaged key
constexpr std::size_t kFileSize = kKeySize + kCheckSize;

[[noreturn]] void fail(const std::string& what, const std::filesystem::path& path) {
  throw LogUnavailable(
      fmt::format("{} {}: {}", what, path.string(), std::generic_category().message(errno)));
}

class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags)
      : value_(::open(path.c_str(), flags | O_CLOEXEC, S_IRUSR | S_IWUSR)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  bool open() const { return value_ >= 0; }
  int get() const { return value_; }

 private:
  int value_;
};

void write_synced(const Descriptor& file, std::string_view bytes,
                  const std::filesystem::path& path) {
  if (::write(file.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()) ||
      ::fsync(file.get()) != 0)
    fail("can't write", path);
}

void sync_folder(const std::filesystem::path& folder) {
  const Descriptor opened(folder, O_RDONLY | O_DIRECTORY);
  if (!opened.open() || ::fsync(opened.get()) != 0) fail("can't sync", folder);
}

void make_folder(const std::filesystem::path& folder) {
  if (::mkdir(folder.c_str(), S_IRWXU) == 0) {
    sync_folder(folder.parent_path());
  } else if (errno != EEXIST) {
    fail("can't create", folder);
  }
}

class FileSubjectKeys final : public SubjectKeys, public SubjectKeyImport {
 public:
  explicit FileSubjectKeys(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::optional<SubjectKey> get(std::string_view subject) const override {
    const std::shared_lock lock(mutex_);
    return load(subject);
  }

  SubjectKey create(std::string_view subject) override {
    const std::unique_lock lock(mutex_);
    if (const auto existing = load(subject)) return *existing;
    SubjectKey key{};
    if (RAND_bytes(key.data(), static_cast<int>(key.size())) != 1)
      throw LogUnavailable("the system gives no random bytes");
    store(subject, key);
    return key;
  }

  bool has(std::string_view subject) const override { return get(subject).has_value(); }

  void put(std::string_view subject, const SubjectKey& key) override {
    const std::unique_lock lock(mutex_);
    const auto existing = load(subject);
    if (existing) return require_same_key(subject, *existing, key);
    store(subject, key);
  }

  void erase(std::string_view subject) override {
    const std::unique_lock lock(mutex_);
    const std::filesystem::path path = path_of(subject);
    for (const std::filesystem::path& each : {path, std::filesystem::path(path.string() + ".new")})
      overwrite_and_remove(each);
  }

 private:
  void store(std::string_view subject, const SubjectKey& key) const {
    const std::filesystem::path path = path_of(subject);
    make_folder(path.parent_path());
    const std::filesystem::path fresh = path.string() + ".new";
    {
      const Descriptor file(fresh, O_WRONLY | O_CREAT | O_TRUNC);
      if (!file.open()) fail("can't create", fresh);
      std::string bytes = encode(subject, key);
      write_synced(file, bytes, fresh);
      OPENSSL_cleanse(bytes.data(), bytes.size());
    }
    if (::rename(fresh.c_str(), path.c_str()) != 0) fail("can't rename", fresh);
    sync_folder(path.parent_path());
  }

  static void overwrite_and_remove(const std::filesystem::path& path) {
    {
      const Descriptor file(path, O_WRONLY);
      if (!file.open() && errno == ENOENT) return;
      if (!file.open()) fail("can't open", path);
      write_synced(file, std::string(kFileSize, '\0'), path);
    }
    if (::unlink(path.c_str()) != 0) fail("can't remove", path);
    sync_folder(path.parent_path());
  }

  std::filesystem::path path_of(std::string_view subject) const {
    const std::string name = to_hex(as_bytes(ChainHasher().sha256("subject ", subject)));
    return folder_ / name.substr(0, 2) / name.substr(2);
  }

  static std::string encode(std::string_view subject, const SubjectKey& key) {
    std::string bytes(reinterpret_cast<const char*>(key.data()), key.size());
    bytes += as_bytes(ChainHasher().sha256(subject, bytes)).substr(0, kCheckSize);
    return bytes;
  }

  std::optional<SubjectKey> load(std::string_view subject) const {
    const std::filesystem::path path = path_of(subject);
    const Descriptor file(path, O_RDONLY);
    if (!file.open() && errno == ENOENT) return std::nullopt;
    if (!file.open()) fail("can't open", path);
    std::array<char, kFileSize + 1> buffer{};
    const ssize_t size = ::read(file.get(), buffer.data(), buffer.size());
    if (size < 0) fail("can't read", path);
    // An erasure that was cut off between overwriting and removing: the key is gone.
    if (std::string_view(buffer.data(), static_cast<std::size_t>(size)) ==
        std::string(kFileSize, '\0'))
      return std::nullopt;
    SubjectKey key{};
    std::memcpy(key.data(), buffer.data(), kKeySize);
    std::string expected = encode(subject, key);
    const std::string_view found(buffer.data(), static_cast<std::size_t>(size));
    const bool whole = found == expected;
    OPENSSL_cleanse(buffer.data(), buffer.size());
    OPENSSL_cleanse(expected.data(), expected.size());
    if (!whole) throw LogCorrupted(fmt::format("subject key {} is damaged", path.string()));
    return key;
  }

  std::filesystem::path folder_;
  mutable std::shared_mutex mutex_;
};

std::unique_ptr<FileSubjectKeys> open_folder(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
  return std::make_unique<FileSubjectKeys>(folder);
}

}  // namespace

std::unique_ptr<SubjectKeys> open_file_subject_keys(const std::filesystem::path& folder) {
  return open_folder(folder);
}

std::unique_ptr<SubjectKeyImport> open_file_key_import(const std::filesystem::path& folder) {
  return open_folder(folder);
}

}  // namespace annolog::eventstore
