#include "eventstore/rocksdb/folder_check.hpp"

#include <fmt/format.h>

#include <fstream>
#include <string>

#include "eventstore/errors.hpp"

namespace annolog::eventstore {

void require_whole_folder(const std::filesystem::path& folder, bool read_only) {
  if (!std::filesystem::exists(folder)) {
    if (read_only) throw LogRefused(fmt::format("there is no log in {}", folder.string()));
    std::filesystem::create_directories(folder);
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
    return;
  }
  bool has_tables = false;
  bool has_wal = false;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    has_tables |= entry.path().extension() == ".sst";
    has_wal |= entry.path().extension() == ".log";
  }
  const std::filesystem::path current = folder / "CURRENT";
  if (!std::filesystem::exists(current)) {
    if (has_tables || has_wal) throw LogCorrupted(fmt::format("{} is missing", current.string()));
    if (read_only) throw LogRefused(fmt::format("there is no log in {}", folder.string()));
    return;
  }
  // The first manifest is written before the first write-ahead log: a start that was cut off there.
  std::string manifest;
  std::ifstream(current) >> manifest;
  if (!has_wal && manifest != "MANIFEST-000001")
    throw LogCorrupted(
        fmt::format("the write-ahead log of {} is missing (no *.log file)", folder.string()));
}

}  // namespace annolog::eventstore
