#include "platform/keyring.hpp"

#include <array>
#include <string>
#include <vector>

#include "platform/keyring_file.hpp"
#include "platform/random.hpp"

namespace annolog::platform {
namespace {

constexpr std::array<std::string_view, kPurposeCount> kPurposeNames = {
    "jwt", "refresh", "cursor", "url", "position", "captcha", "username", "subject_keys"};

struct DerivedKey {
  std::string kid;
  std::array<MacKey, kPurposeCount> by_purpose;
};

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

  void take(const StoredKeys& stored) {
    std::vector<DerivedKey> derived;
    for (const SigningKey& key : stored.keys) derived.push_back({key.kid, derive_all(key.key)});
    const std::lock_guard guard(mutex);
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
  impl->take(load_keys(impl->file()));
  return Keyring(std::move(impl));
}

SigningKey Keyring::current(Purpose purpose) const {
  const std::lock_guard guard(impl_->mutex);
  const DerivedKey& newest = impl_->keys.front();
  return {newest.kid, newest.by_purpose[index_of(purpose)]};
}

std::optional<MacKey> Keyring::find(Purpose purpose, std::string_view kid) const {
  const std::lock_guard guard(impl_->mutex);
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
  impl_->take(stored);
  return stored.keys.front().kid;
}

void Keyring::reload() {
  const UniqueFd held = lock_keys(impl_->folder);
  impl_->take(load_keys(impl_->file()));
}

}  // namespace annolog::platform
