#include "tests/contract/temporary_folder.hpp"

#include <stdlib.h>

#include <stdexcept>
#include <string>
#include <system_error>

namespace annolog::eventstore {

TemporaryFolder::TemporaryFolder() {
  std::string name = std::filesystem::temp_directory_path() / "annolog-log-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder: " + name);
  root_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(root_, ignored);
}

}  // namespace annolog::eventstore
