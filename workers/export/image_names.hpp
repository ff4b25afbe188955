// What the images are called in formats with a file per image, which is named after the image
// without the extension: `a.jpg` and `a.png` of one folder would share one. Rule: the image with
// the lowest task id keeps its name; a later one whose file is taken becomes
// `<stem>~<task id>.<ext>`. So do all images of a path that several have, where a format tells them
// by nothing else. A path that could lead out of the folder it is unpacked in, and a stem that a
// list of stems can't carry, become `task_<task id>`.
// One object per pass over the images; same images, same names. One thread. Memory: about 16 to 32
// bytes an image (a hash of each name; two names with one hash cost a needless `~`, no more).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workers/export/source.hpp"

namespace annolog::workers {

// Where the extension begins; the size of the path when it has none. A leading dot begins a name.
std::size_t extension_at(std::string_view path);

struct ImageName {
  std::string image;  // path with extension
  std::string stem;   // the same without
  std::string file;   // where the image itself lies: its own path, unless that is not safe
};

// A set of texts, of which it keeps 64 bits each.
class HashedTexts {
 public:
  // False when it was there already.
  bool insert(std::string_view text);

 private:
  void grow();

  std::vector<std::uint64_t> slots_;  // open addressing, 0 is empty
  std::size_t used_ = 0;
};

// The paths that several images have. Takes a pass over the images, and as much memory for it as
// the names do.
class SharedPaths {
 public:
  SharedPaths() = default;
  explicit SharedPaths(ExportSource& source);
  bool contains(std::string_view path) const;

 private:
  std::vector<std::uint64_t> hashes_;  // in order
};

class ImageNames {
 public:
  // Readers of whole lines cut blanks off and take what begins with `#` for a comment.
  enum class Stems { within_lines, whole_lines };
  explicit ImageNames(Stems stems = Stems::within_lines, SharedPaths shared = {})
      : stems_(stems), shared_(std::move(shared)) {}

  ImageName next(const ExportImage& image);

 private:
  Stems stems_;
  SharedPaths shared_;
  HashedTexts taken_;
};

}  // namespace annolog::workers
