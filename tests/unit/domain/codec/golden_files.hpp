// Files that hold what a past version wrote. ANNOLOG_REWRITE_GOLDEN=1 writes them anew. Tests only.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

namespace annolog::testing {

inline std::filesystem::path source_file(const std::string& path) {
  return std::filesystem::path(ANNOLOG_SOURCE_DIR) / path;
}

inline std::optional<std::string> read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

inline bool rewriting() {
  const char* value = std::getenv("ANNOLOG_REWRITE_GOLDEN");
  return value != nullptr && std::string(value) == "1";
}

// The file's text; when rewriting, `text` is written first.
inline std::optional<std::string> golden(const std::string& path, const std::string& text) {
  const auto file = source_file(path);
  if (rewriting()) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
  }
  return read_file(file);
}

}  // namespace annolog::testing
