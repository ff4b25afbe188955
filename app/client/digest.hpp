// MD5 (what the service recognises duplicates by; no security rests on it) and SHA-256, over
// OpenSSL. A Digest belongs to one thread. Results are lower-case hex.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace annolog::client {

class Digest {
 public:
  enum class Kind { md5, sha256 };

  explicit Digest(Kind kind);
  ~Digest();
  void update(std::string_view bytes);
  std::string hex();  // once; nothing may be added after
  void restart();

 private:
  struct State;
  std::unique_ptr<State> state_;
  Kind kind_;
};

// Reads in pieces. Throws std::system_error when the file can't be read.
std::string md5_of_file(const std::filesystem::path& file);
std::string sha256_of(std::string_view text);

}  // namespace annolog::client
