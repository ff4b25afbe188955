// Damage to the files of a closed log, for tests. Throws std::runtime_error when there is nothing
// to damage.
#pragma once

#include <cstdint>
#include <filesystem>

namespace annolog::eventstore {

// The file of the folder with that extension (".log", ".sst") that holds most bytes.
std::filesystem::path largest_file(const std::filesystem::path& folder,
                                   const std::filesystem::path& extension);
void flip_byte(const std::filesystem::path& file, std::uint64_t offset);
void cut_tail(const std::filesystem::path& file, std::uint64_t bytes);

}  // namespace annolog::eventstore
