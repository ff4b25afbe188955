#include "platform/keyring_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "platform/encoding.hpp"
#include "platform/random.hpp"

namespace annolog::platform {
namespace {

constexpr std::string_view kHeader = "annolog-signing-keys 1";

[[noreturn]] void damaged(const std::filesystem::path& path, const char* what) {
  throw std::runtime_error("signing keys in " + path.string() + ": " + what);
}

MacKey key_from(std::string_view hex, const std::filesystem::path& path) {
  const auto bytes = from_hex(hex);
  MacKey key;
  if (!bytes || bytes->size() != key.size()) damaged(path, "a key is not 64 hex digits");
  std::copy(bytes->begin(), bytes->end(), key.begin());
  return key;
}

StoredKeys from_text(std::string_view text, const std::filesystem::path& path) {
  const auto next_line = [&]() -> std::string_view {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) damaged(path, "the file is cut short");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    return line;
  };
  if (next_line() != kHeader) damaged(path, "unknown format");
  StoredKeys stored;
  const std::string_view root = next_line();
  if (!root.starts_with("root ")) damaged(path, "no root key");
  stored.root = key_from(root.substr(5), path);
  for (std::string_view line = next_line(); line != "end"; line = next_line()) {
    const std::size_t space = line.rfind(' ');
    if (!line.starts_with("key ") || space <= 4) damaged(path, "a line that is no key");
    stored.keys.push_back(
        {std::string(line.substr(4, space - 4)), key_from(line.substr(space + 1), path)});
  }
  if (stored.keys.empty() || stored.keys.size() > Keyring::kMaxKeys || !text.empty()) {
    damaged(path, "not between 1 and 8 keys");
  }
  return stored;
}

}  // namespace

SigningKey new_signing_key() { return {to_hex(random_bytes(6)), random_key()}; }

std::string to_text(const StoredKeys& stored) {
  std::string text = std::string(kHeader) + "\nroot " + to_hex(as_bytes_view(stored.root)) + "\n";
  for (const SigningKey& key : stored.keys) {
    text += "key " + key.kid + " " + to_hex(as_bytes_view(key.key)) + "\n";
  }
  return text + "end\n";
}

StoredKeys load_keys(const std::filesystem::path& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    throw std::system_error(errno, std::generic_category(), "stat " + path.string());
  }
  if ((status.st_mode & 077) != 0) damaged(path, "others may read it; its mode must be 0600");
  return from_text(read_file(path, 64 * 1024), path);
}

UniqueFd lock_keys(const std::filesystem::path& folder) {
  const auto path = folder / "signing.lock";
  UniqueFd fd = open_file(path, {O_RDWR | O_CREAT, 0600});
  while (::flock(fd.get(), LOCK_EX) != 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), path.string());
  }
  return fd;
}

}  // namespace annolog::platform
