#include "workers/import/task_index.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <numeric>

#include "domain/support/number.hpp"
#include "workers/export/image_names.hpp"

namespace annolog::workers {
namespace {

using TwoDigests = std::array<std::uint64_t, 2>;

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211ULL;
  }
  return hash;
}

TwoDigests digest_of(std::string_view text) {
  return {std::hash<std::string_view>{}(text), fnv1a(text)};
}

TwoDigests name_digests(const IndexedTask& task) {
  return {task.name_digest[0], task.name_digest[1]};
}

std::string_view last_part(std::string_view path) {
  const auto slash = path.find_last_of("/\\");
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view stem_of(std::string_view path) { return path.substr(0, extension_at(path)); }

std::int32_t pixels(std::optional<std::int64_t> size) {
  if (!size || *size <= 0 || *size > std::numeric_limits<std::int32_t>::max()) return 0;
  return static_cast<std::int32_t>(*size);
}

// "T-12" is 12; anything else 0.
std::int64_t task_number(std::string_view display_id) {
  return display_id.starts_with("T-") ? id_number(display_id.substr(2)) : 0;
}

}  // namespace

void TaskIndex::add(TaskId id, std::int64_t number, Names names, std::optional<std::int64_t> width,
                    std::optional<std::int64_t> height) {
  const auto digest = digest_of(names.name);
  tasks_.push_back({.id = id,
                    .number = number,
                    .name_digest = {digest[0], digest[1]},
                    .path_digest = digest_of(names.path)[0],
                    .last_digest = digest_of(last_part(names.name))[0],
                    .stem_digest = digest_of(stem_of(names.name))[0],
                    .path_stem_digest = digest_of(stem_of(names.path))[0],
                    .last_stem_digest = digest_of(stem_of(last_part(names.name)))[0],
                    .width = pixels(width),
                    .height = pixels(height)});
}

void TaskIndex::ready() {
  std::ranges::sort(tasks_, {}, name_digests);
  numbers_.resize(tasks_.size());
  std::iota(numbers_.begin(), numbers_.end(), 0U);
  paths_ = lasts_ = stems_ = path_stems_ = last_stems_ = ids_ = numbers_;
  const auto sort_by = [this](std::vector<std::uint32_t>& order, auto member) {
    std::ranges::sort(order, {}, [this, member](std::uint32_t at) { return tasks_[at].*member; });
  };
  sort_by(numbers_, &IndexedTask::number);
  sort_by(paths_, &IndexedTask::path_digest);
  sort_by(lasts_, &IndexedTask::last_digest);
  sort_by(stems_, &IndexedTask::stem_digest);
  sort_by(path_stems_, &IndexedTask::path_stem_digest);
  sort_by(last_stems_, &IndexedTask::last_stem_digest);
  sort_by(ids_, &IndexedTask::id);
}

TaskIndex::Match TaskIndex::match(std::string_view display_id, std::string_view name) const {
  const std::int64_t number = task_number(display_id);
  if (number != 0) {
    const Match known = by_number(number);
    const bool agrees = name.empty() || (known.found == Found::one &&
                                         name_digests(tasks_[known.at]) == digest_of(name));
    if (agrees) return known;
  }
  if (name.empty()) return {};
  const Match match = named(name, Part::whole);
  return match.found == Found::none ? last(name, Part::whole) : match;
}

TaskIndex::Match TaskIndex::named(std::string_view name, Part part) const {
  if (name.empty()) return {};
  const bool whole = part == Part::whole;
  const Match match = whole ? by_name(name) : by_digest(stems_, &IndexedTask::stem_digest, name);
  if (match.found != Found::none) return match;
  return whole ? by_digest(paths_, &IndexedTask::path_digest, name)
               : by_digest(path_stems_, &IndexedTask::path_stem_digest, name);
}

TaskIndex::Match TaskIndex::last(std::string_view name, Part part) const {
  const std::string_view bare = last_part(name);
  return part == Part::whole ? by_digest(lasts_, &IndexedTask::last_digest, bare)
                             : by_digest(last_stems_, &IndexedTask::last_stem_digest, bare);
}

TaskIndex::Match TaskIndex::by_id(TaskId id) const {
  const auto found =
      std::ranges::lower_bound(ids_, id, {}, [this](std::uint32_t at) { return tasks_[at].id; });
  if (found == ids_.end() || tasks_[*found].id != id) return {};
  return {Found::one, *found};
}

bool TaskIndex::has_name(std::uint32_t at, std::string_view name) const {
  return name_digests(tasks_[at]) == digest_of(name);
}

bool TaskIndex::has_stem(std::uint32_t at, std::string_view stem) const {
  return tasks_[at].stem_digest == digest_of(stem)[0];
}

TaskIndex::Match TaskIndex::by_number(std::int64_t number) const {
  const auto found = std::ranges::lower_bound(
      numbers_, number, {}, [this](std::uint32_t at) { return tasks_[at].number; });
  if (found == numbers_.end() || tasks_[*found].number != number) return {};
  return {Found::one, *found};
}

TaskIndex::Match TaskIndex::by_name(std::string_view name) const {
  const auto found = std::ranges::equal_range(tasks_, digest_of(name), {}, name_digests);
  if (found.empty()) return {};
  if (found.size() > 1) return {Found::several, 0};
  return {Found::one, static_cast<std::uint32_t>(found.begin() - tasks_.begin())};
}

TaskIndex::Match TaskIndex::by_digest(const std::vector<std::uint32_t>& order, Digest digest,
                                      std::string_view text) const {
  const auto found = std::ranges::equal_range(order, digest_of(text)[0], {},
                                              [&](std::uint32_t at) { return tasks_[at].*digest; });
  if (found.empty()) return {};
  if (found.size() > 1) return {Found::several, 0};
  return {Found::one, found.front()};
}

}  // namespace annolog::workers
