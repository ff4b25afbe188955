// Looks for files that are gone before RocksDB opens the folder: without CURRENT it would start an
// empty database beside what is left, without its write-ahead log it would lose the last writes,
// both without a word. Throws LogCorrupted naming the file.
#pragma once

#include <filesystem>

namespace annolog::eventstore {

// Creates the folder when there is none (and not `read_only`).
void require_whole_folder(const std::filesystem::path& folder, bool read_only);

}  // namespace annolog::eventstore
