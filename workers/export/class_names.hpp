// The classes of formats that name them in a list behind the images: the live ones in order of
// birth, then removed ones that are still used, in order of first use. Every name is one line and
// stands there once. One object per export; one thread.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "workers/export/source.hpp"

namespace annolog::workers {

// What a name becomes in VOC: a colon parts the fields of a label map's line, `#` begins a comment,
// and readers look for files that are named after the label.
std::string voc_label(std::string line);

class ClassNames {
 public:
  struct Entry {
    std::string name;
    std::string color;  // #RRGGBB; empty: the project does not know the class
  };
  // What else the format does not bear in a name is put right here; it must not make it empty.
  using Fit = std::string (*)(std::string line);

  explicit ClassNames(const ExportProject& project, Fit fit = nullptr);

  // The place in the list; a class that is not there yet is put behind the others.
  std::size_t index_of(ClassId id, const std::string& name);
  const Entry& entry_of(ClassId id, const std::string& name) { return list_[index_of(id, name)]; }

  // By index; complete once every annotation has been asked for.
  const std::vector<Entry>& list() const { return list_; }

 private:
  std::string unique_line(ClassId id, const std::string& name);

  const ExportProject& project_;
  Fit fit_;
  std::map<ClassId, std::size_t> indexes_;
  std::set<std::string> taken_;
  std::vector<Entry> list_;
};

}  // namespace annolog::workers
