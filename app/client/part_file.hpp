// A file that appears under its name only when it is whole: bytes go to NAME.part, which is synced
// and renamed. Removed when it is not kept. One thread. Throws std::system_error when the disk or
// the folder refuses.
#pragma once

#include <filesystem>
#include <string_view>

namespace annolog::client {

class PartFile {
 public:
  explicit PartFile(std::filesystem::path target);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  void write(std::string_view bytes);
  void restart();  // empty again
  void keep();     // sync, rename, sync the folder

 private:
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path target_;
  std::filesystem::path part_;
  int descriptor_ = -1;
  bool kept_ = false;
};

}  // namespace annolog::client
