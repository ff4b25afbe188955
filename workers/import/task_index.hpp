// The tasks of a project by what a document may call them: display id, path, file name. Some 60
// bytes a task, whatever its path's length: paths are kept as 128-bit digests. Filled, then
// sorted once by ready(), then read by one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "domain/support/ids.hpp"

namespace annolog::workers {

struct IndexedTask {
  TaskId id;
  std::int64_t number = 0;  // display id T-<number>
  std::uint64_t path_digest[2] = {0, 0};
  std::uint64_t name_digest = 0;  // of the path's last part
  std::int32_t width = 0;         // pixels; 0: not known
  std::int32_t height = 0;
};

class TaskIndex {
 public:
  void add(TaskId id, std::int64_t number, std::string_view path,
           std::optional<std::int64_t> width, std::optional<std::int64_t> height);
  void ready();

  enum class Found : std::uint8_t { one, none, several };
  struct Match {
    Found found = Found::none;
    std::uint32_t at = 0;  // place in the index
  };
  // By display id when there is one and the path, if there is one too, agrees; else by path; else
  // by file name, when only one task has it. Empty texts: not told.
  Match match(std::string_view display_id, std::string_view path) const;

  const IndexedTask& operator[](std::uint32_t at) const { return tasks_[at]; }
  std::size_t size() const { return tasks_.size(); }

 private:
  Match by_number(std::int64_t number) const;
  Match by_path(std::string_view path) const;
  Match by_name(std::string_view path) const;

  std::vector<IndexedTask> tasks_;  // in order of path digest
  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint32_t> names_;
};

}  // namespace annolog::workers
