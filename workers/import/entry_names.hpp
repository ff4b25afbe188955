// The names of an archive's entries that shapes or problems come from, kept on disk: a place in a
// document is a number, and there may be millions. One thread; a disk that fails throws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace annolog::workers {

class EntryNames {
 public:
  explicit EntryNames(std::filesystem::path file) : path_(std::move(file)) {}

  // What stands for the name: larger than all before.
  std::int64_t add(std::string_view name);
  // As text that can be shown: UTF-8 without control characters.
  std::string name_at(std::int64_t place);

 private:
  std::filesystem::path path_;
  std::fstream file_;
  std::int64_t end_ = 0;
};

// A name of any bytes, as text that can be shown: cut off behind so many bytes.
inline constexpr std::size_t kShownNameBytes = 1000;
std::string shown_name(std::string_view name, std::size_t max_bytes = kShownNameBytes);

}  // namespace annolog::workers
