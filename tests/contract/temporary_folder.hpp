// A folder of its own for one test, removed at its end.
#pragma once

#include <filesystem>

namespace annolog::eventstore {

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path path() const { return root_ / "log"; }  // not there yet
  const std::filesystem::path& root() const { return root_; }

 private:
  std::filesystem::path root_;
};

}  // namespace annolog::eventstore
