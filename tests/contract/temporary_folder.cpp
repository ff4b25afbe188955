#include "tests/contract/temporary_folder.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <system_error>

namespace annolog::eventstore {

TemporaryFolder::TemporaryFolder() {
  // In memory where there is such a folder: what these tests say about syncs, FaultDisk keeps.
  const std::filesystem::path memory = "/dev/shm";
  const bool in_memory = ::access(memory.c_str(), W_OK) == 0;
  std::string name =
      (in_memory ? memory : std::filesystem::temp_directory_path()) / "annolog-log-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder: " + name);
  root_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(root_, ignored);
}

}  // namespace annolog::eventstore
