// What the images of a YOLO export are called. A label file is named after its image without the
// extension, so `a.jpg` and `a.png` of one folder would share one. Rule: the image with the lowest
// task id keeps its name; a later one whose label file is taken becomes `<stem>~<task id>.<ext>`.
// A path that could lead out of the folder it is unpacked in becomes `task_<task id>`.
// One object per pass over the images; same images, same names. One thread. Memory: about 16 to 32
// bytes an image (a hash of each name; two names with one hash cost a needless `~`, no more).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workers/export/source.hpp"

namespace annolog::workers {

struct ImageName {
  std::string image;  // path with extension
  std::string stem;   // the same without
};

class ImageNames {
 public:
  ImageName next(const ExportImage& image);

 private:
  // False when it was there already.
  bool claim(std::string_view stem);
  void grow();

  std::vector<std::uint64_t> slots_;  // open addressing, 0 is empty
  std::size_t used_ = 0;
};

}  // namespace annolog::workers
