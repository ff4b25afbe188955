// Puts the shapes of a document in order of their tasks with bounded memory: each goes to one of
// many files on disk, by its task; then one file after another is read whole. One thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

#include "domain/task/import.hpp"
#include "workers/import/import_problems.hpp"

namespace annolog::workers {

struct SpilledShape {
  DocumentPlace place;
  ImportedShape shape;
};

class ShapeSpill {
 public:
  // What one command may carry; its event must fit in one record of the log.
  static constexpr std::size_t kTaskBytesMax = std::size_t{2} << 20;

  // `folder` is the spill's own and is emptied by its owner. Tasks are called 0 .. tasks-1.
  ShapeSpill(std::filesystem::path folder, std::size_t tasks);

  // False: the task has too many shapes; it is dropped, as all of the task will be.
  bool add(std::uint32_t task, DocumentPlace place, const ImportedShape& shape);

  // All shapes of a task in the document's order; `too_many`: some were dropped.
  // False from `visit` ends the walk.
  using Visit =
      std::function<bool(std::uint32_t task, std::vector<SpilledShape> shapes, bool too_many)>;
  void each_task(const Visit& visit);

 private:
  struct Load {
    std::uint32_t shapes = 0;
    std::uint32_t bytes = 0;
  };
  std::filesystem::path file_of(std::size_t part) const;

  std::filesystem::path folder_;
  std::vector<Load> loads_;
  std::vector<std::ofstream> parts_;
};

}  // namespace annolog::workers
