#include "eventstore/faults/damage.hpp"

#include <fstream>
#include <stdexcept>
#include <string>

namespace annolog::eventstore {

std::filesystem::path largest_file(const std::filesystem::path& folder,
                                   const std::filesystem::path& extension) {
  std::filesystem::path largest;
  std::uintmax_t size = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != extension || entry.file_size() < size) continue;
    size = entry.file_size();
    largest = entry.path();
  }
  if (largest.empty())
    throw std::runtime_error("no " + extension.string() + " file in " + folder.string());
  return largest;
}

void flip_byte(const std::filesystem::path& file, std::uint64_t offset) {
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.exceptions(std::ios::failbit | std::ios::badbit);
  const auto at = static_cast<std::streamoff>(offset);
  bytes.seekg(at);
  const int byte = bytes.get();
  bytes.seekp(at);
  bytes.put(static_cast<char>(static_cast<unsigned>(byte) ^ 0x10U));
}

void cut_tail(const std::filesystem::path& file, std::uint64_t bytes) {
  const std::uintmax_t size = std::filesystem::file_size(file);
  if (size < bytes) throw std::runtime_error(file.string() + " is shorter than the cut");
  std::filesystem::resize_file(file, size - bytes);
}

}  // namespace annolog::eventstore
