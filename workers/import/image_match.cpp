#include "workers/import/image_match.hpp"

#include <algorithm>
#include <array>

#include "domain/support/number.hpp"
#include "workers/export/image_names.hpp"
#include "workers/export/line_text.hpp"

namespace annolog::workers {
namespace {

using Found = TaskIndex::Found;
using Match = TaskIndex::Match;
using Part = TaskIndex::Part;

constexpr int kFoldersMax = 4;  // such a folder stands near the front

bool is_layout(std::string_view folder) {
  constexpr std::array<std::string_view, 4> kNames{"images", "labels", "JPEGImages", "Annotations"};
  return std::ranges::find(kNames, folder) != kNames.end() ||
         (folder.starts_with("obj_") && folder.ends_with("_data"));
}

// `task_<task id>`, and `<stem>~<task id>` of the task that is called so.
Match exported(const TaskIndex& tasks, std::string_view path, Part part) {
  constexpr std::string_view kTask = "task_";
  const std::size_t dot = part == Part::whole ? extension_at(path) : path.size();
  std::string_view stem = path.substr(0, dot);
  if (stem.starts_with(kTask)) {
    const auto id = id_number(stem.substr(kTask.size()));
    if (id != 0) return tasks.by_id(TaskId{id});
  }
  const std::size_t mark = stem.rfind('~');
  const auto id = mark == std::string_view::npos ? 0 : id_number(stem.substr(mark + 1));
  if (id == 0) return {};
  const std::string suffix(stem.substr(mark));
  while (stem.ends_with(suffix)) stem.remove_suffix(suffix.size());
  const Match match = tasks.by_id(TaskId{id});
  if (match.found == Found::one && tasks.has_stem(match.at, stem)) return match;
  // The export is another project's: the image is called so there, too, but for the id.
  return tasks.named(std::string(stem) += path.substr(dot), part);
}

}  // namespace

std::size_t layout_end(std::string_view path) {
  std::size_t start = 0;
  for (int folder = 0; folder < kFoldersMax; ++folder) {
    const std::size_t slash = path.find('/', start);
    if (slash == std::string_view::npos) return 0;
    if (is_layout(path.substr(start, slash - start))) return slash + 1;
    start = slash + 1;
  }
  return 0;
}

std::string plain_path(std::string_view path) {
  std::string plain(trimmed(path));
  std::ranges::replace(plain, '\\', '/');
  std::string_view rest = plain;
  for (;;) {
    if (rest.starts_with('/')) rest.remove_prefix(1);
    else if (rest.starts_with("./")) rest.remove_prefix(2);
    else if (rest.starts_with("../")) rest.remove_prefix(3);
    else return std::string(rest);
  }
}

TaskIndex::Match match_image(const TaskIndex& tasks, std::string_view path, Part part) {
  std::string_view rest = path.substr(layout_end(path));
  if (rest.empty()) return {};
  Match match = tasks.named(rest, part);
  if (match.found != Found::none) return match;
  match = exported(tasks, rest, part);
  if (match.found != Found::none) return match;
  if (rest.size() != path.size()) match = tasks.named(path, part);
  for (auto slash = rest.find('/'); match.found == Found::none && slash != rest.npos;
       slash = rest.find('/')) {
    rest.remove_prefix(slash + 1);
    match = tasks.named(rest, part);
  }
  return match.found == Found::none ? tasks.last(rest, part) : match;
}

std::string label_key(std::string_view path) {
  std::string key(path.substr(0, extension_at(path)));
  if (key.starts_with("data/obj_")) key.erase(0, std::string_view("data/").size());
  const std::size_t end = layout_end(key);
  constexpr std::string_view kImages = "images/";
  if (std::string_view(key).substr(0, end).ends_with(kImages)) {
    key.replace(end - kImages.size(), kImages.size(), "labels/");
  }
  return key;
}

}  // namespace annolog::workers
