// From the names of classes that a zip has to those of the project: exports of ours write some of
// them otherwise (workers/export/class_names.hpp). Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "workers/export/class_names.hpp"
#include "workers/export/line_text.hpp"

namespace annolog::workers {

class ClassLines {
 public:
  explicit ClassLines(const ExportProject& project, ClassNames::Fit fit = nullptr) {
    ClassNames lines(project, fit);
    for (const auto& one : project.classes) {
      if (!one.removed) names_.emplace(lines.entry_of(one.id, one.name).name, one.name);
    }
  }
  // What our export would have written so; else the name as it is told.
  std::string name_of(std::string_view told) const {
    std::string line = one_line(told);
    const auto found = names_.find(line);
    return found == names_.end() ? line : found->second;
  }

 private:
  std::map<std::string, std::string> names_;
};

}  // namespace annolog::workers
