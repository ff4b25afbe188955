#include "platform/keyring.hpp"

#include <sys/stat.h>

#include <array>
#include <chrono>
#include <string>
#include <vector>

#include "platform/keyring_file.hpp"
#include "platform/random.hpp"

namespace annolog::platform {
namespace {

constexpr std::array<std::string_view, kPurposeCount> kPurposeNames = {
    "jwt",      "secret",       "cursor", "url",        "position", "captcha",
    "username", "subject_keys", "oidc",   "checkpoint", "webhook"};

struct DerivedKey {
  std::string kid;
  std::array<MacKey, kPurposeCount> by_purpose;
};

constexpr std::chrono::milliseconds kLookEvery{500};

// Whether it is another file by now, or was written anew. Nothing: it can't be seen.
struct FileMark {
  ino_t inode = 0;
  off_t size = 0;
  std::int64_t written_ns = 0;
  std::int64_t changed_ns = 0;
  bool operator==(const FileMark&) const = default;
};

std::int64_t nanoseconds(const timespec& at) { return at.tv_sec * 1'000'000'000LL + at.tv_nsec; }

std::optional<FileMark> mark_of(const std::filesystem::path& file) {
  struct stat found{};
  if (::stat(file.c_str(), &found) != 0) return std::nullopt;
  return FileMark{found.st_ino, found.st_size, nanoseconds(found.st_mtim),
                  nanoseconds(found.st_ctim)};
}

std::size_t index_of(Purpose purpose) { return static_cast<std::size_t>(purpose); }

// HKDF-Expand for one block: T(1) = HMAC(PRK, info || 0x01). The stored keys are uniformly random,
// so the extract step may be left out (RFC 5869, section 3.3).
std::array<MacKey, kPurposeCount> derive_all(const MacKey& key) {
  std::array<MacKey, kPurposeCount> derived;
  for (std::size_t i = 0; i < kPurposeCount; ++i) {
    derived[i] = hmac_sha256(key, "annolog/" + std::string(kPurposeNames[i]) + "\x01");
  }
  return derived;
}

}  // namespace

struct Keyring::Impl {
  std::filesystem::path folder;
  mutable std::mutex mutex;
  std::vector<DerivedKey> keys;  // guarded by mutex; newest first
  std::array<MacKey, kPurposeCount> lasting;

  std::filesystem::path file() const { return folder / "signing.keys"; }

  std::optional<FileMark> taken;  // what was read last
  std::chrono::steady_clock::time_point looked;

  // Takes up a file that is another one by now. One that can't be read changes nothing.
  void look(std::unique_lock<std::mutex>& guard) {
    const auto now = std::chrono::steady_clock::now();
    if (now - looked < kLookEvery) return;
    looked = now;
    const auto there = mark_of(file());
    if (!there || there == taken) return;
    guard.unlock();
    try {
      take(load_keys(file()), there);
    } catch (const std::exception&) {
      // The keys of before are good still; the next look tries again.
    }
    guard.lock();
  }

  void take(const StoredKeys& stored, const std::optional<FileMark>& mark) {
    std::vector<DerivedKey> derived;
    for (const SigningKey& key : stored.keys) derived.push_back({key.kid, derive_all(key.key)});
    const std::lock_guard guard(mutex);
    taken = mark;
    keys = std::move(derived);
    lasting = derive_all(stored.root);
  }
};

Keyring::Keyring(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Keyring::~Keyring() = default;
Keyring::Keyring(Keyring&&) noexcept = default;
Keyring& Keyring::operator=(Keyring&&) noexcept = default;

Keyring Keyring::open(const std::filesystem::path& folder) {
  auto impl = std::make_unique<Impl>();
  impl->folder = folder;
  if (std::filesystem::create_directories(folder)) {
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
  }
  const UniqueFd held = lock_keys(folder);
  if (!std::filesystem::exists(impl->file())) {
    write_file_atomically(impl->file(), to_text({random_key(), {new_signing_key()}}));
  }
  const auto mark = mark_of(impl->file());
  impl->take(load_keys(impl->file()), mark);
  return Keyring(std::move(impl));
}

SigningKey Keyring::current(Purpose purpose) const {
  std::unique_lock guard(impl_->mutex);
  impl_->look(guard);
  const DerivedKey& newest = impl_->keys.front();
  return {newest.kid, newest.by_purpose[index_of(purpose)]};
}

std::optional<MacKey> Keyring::find(Purpose purpose, std::string_view kid) const {
  std::unique_lock guard(impl_->mutex);
  impl_->look(guard);
  for (const DerivedKey& key : impl_->keys) {
    if (key.kid == kid) return key.by_purpose[index_of(purpose)];
  }
  return std::nullopt;
}

MacKey Keyring::lasting(Purpose purpose) const {
  const std::lock_guard guard(impl_->mutex);
  return impl_->lasting[index_of(purpose)];
}

std::string Keyring::rotate() {
  const UniqueFd held = lock_keys(impl_->folder);
  StoredKeys stored = load_keys(impl_->file());
  stored.keys.insert(stored.keys.begin(), new_signing_key());
  if (stored.keys.size() > kMaxKeys) stored.keys.resize(kMaxKeys);
  write_file_atomically(impl_->file(), to_text(stored));
  impl_->take(stored, mark_of(impl_->file()));
  return stored.keys.front().kid;
}

std::vector<std::string> Keyring::kids() const {
  std::unique_lock guard(impl_->mutex);
  impl_->look(guard);
  std::vector<std::string> kids;
  for (const DerivedKey& key : impl_->keys) kids.push_back(key.kid);
  return kids;
}

}  // namespace annolog::platform
