#include "workers/export/class_names.hpp"

#include <algorithm>

#include "domain/task/plain_values.hpp"
#include "platform/objects/object_key.hpp"
#include "workers/export/line_text.hpp"

namespace annolog::workers {

std::string voc_label(std::string line) {
  line = through_xml(line);  // the label map tells the same as the XML files
  std::ranges::replace(line, ':', '_');
  if (line.front() == '#') line.front() = '_';
  if (!platform::ObjectKey::parse(line)) {
    std::ranges::replace(line, '/', '_');
    std::ranges::replace(line, '\\', '_');
  }
  return line;
}

ClassNames::ClassNames(const ExportProject& project, Fit fit) : project_(project), fit_(fit) {
  for (const ExportClass& item : project.classes)
    if (!item.removed) index_of(item.id, item.name);
}

std::size_t ClassNames::index_of(ClassId id, const std::string& name) {
  const auto [place, added] = indexes_.try_emplace(id, list_.size());
  if (added) {
    const auto known = std::ranges::find(project_.classes, id, &ExportClass::id);
    list_.push_back({unique_line(id, name), known == project_.classes.end() ? "" : known->color});
  }
  return place->second;
}

// Readers tell classes apart by their names: one that has become another's gets its id behind it.
std::string ClassNames::unique_line(ClassId id, const std::string& name) {
  std::string line = one_line(name);
  if (line.empty()) line = "class_" + std::to_string(id.value);
  if (fit_ != nullptr) line = fit_(std::move(line));
  for (const std::string suffix = "~" + std::to_string(id.value); !taken_.insert(line).second;)
    line += suffix;
  return line;
}

}  // namespace annolog::workers
