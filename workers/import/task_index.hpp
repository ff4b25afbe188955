// The tasks of a project by what a document may call them: display id, name with its folders, path
// in the dataset, bare file name, each with and without its extension. Some 130 bytes a task,
// however long these are: digests are kept. Filled, then sorted once by ready(), then read by one
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "domain/support/ids.hpp"

namespace annolog::workers {

struct IndexedTask {
  TaskId id;
  std::int64_t number = 0;                // display id T-<number>
  std::uint64_t name_digest[2] = {0, 0};  // of the client's own name, with its folders
  std::uint64_t path_digest = 0;
  std::uint64_t last_digest = 0;  // of the name's last part
  std::uint64_t stem_digest = 0;  // the same three without their extensions
  std::uint64_t path_stem_digest = 0;
  std::uint64_t last_stem_digest = 0;
  std::int32_t width = 0;  // pixels; 0: not known
  std::int32_t height = 0;
};

class TaskIndex {
 public:
  struct Names {
    std::string_view name;  // with folders, as exports have it
    std::string_view path = {};
  };
  void add(TaskId id, std::int64_t number, Names names, std::optional<std::int64_t> width,
           std::optional<std::int64_t> height);
  void ready();

  enum class Found : std::uint8_t { one, none, several };
  struct Match {
    Found found = Found::none;
    std::uint32_t at = 0;  // place in the index
  };
  // By display id when there is one and the name, if there is one too, agrees; else by name, by
  // path, and by bare file name, each when only one task has it. Empty texts: not told.
  Match match(std::string_view display_id, std::string_view name) const;

  // Files that are named after an image lack its extension.
  enum class Part : std::uint8_t { whole, stem };
  // By the whole name or path in the dataset.
  Match named(std::string_view name, Part part) const;
  // By the bare file name, with or without folders before it.
  Match last(std::string_view name, Part part) const;
  Match by_id(TaskId id) const;
  bool has_name(std::uint32_t at, std::string_view name) const;
  bool has_stem(std::uint32_t at, std::string_view stem) const;

  const IndexedTask& operator[](std::uint32_t at) const { return tasks_[at]; }
  std::size_t size() const { return tasks_.size(); }

 private:
  Match by_number(std::int64_t number) const;
  Match by_name(std::string_view name) const;
  using Digest = std::uint64_t IndexedTask::*;
  Match by_digest(const std::vector<std::uint32_t>& order, Digest digest,
                  std::string_view text) const;

  std::vector<IndexedTask> tasks_;  // in order of name digest
  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint32_t> paths_;
  std::vector<std::uint32_t> lasts_;
  std::vector<std::uint32_t> stems_;
  std::vector<std::uint32_t> path_stems_;
  std::vector<std::uint32_t> last_stems_;
  std::vector<std::uint32_t> ids_;
};

}  // namespace annolog::workers
