#include "workers/import/task_index.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <limits>
#include <numeric>

namespace annolog::workers {
namespace {

using Digest = std::array<std::uint64_t, 2>;

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211ULL;
  }
  return hash;
}

Digest digest_of(std::string_view text) {
  return {std::hash<std::string_view>{}(text), fnv1a(text)};
}

Digest path_of(const IndexedTask& task) { return {task.path_digest[0], task.path_digest[1]}; }

std::string_view last_part(std::string_view path) {
  const auto slash = path.find_last_of("/\\");
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::int32_t pixels(std::optional<std::int64_t> size) {
  if (!size || *size <= 0 || *size > std::numeric_limits<std::int32_t>::max()) return 0;
  return static_cast<std::int32_t>(*size);
}

// "T-12" is 12; anything else 0.
std::int64_t number_of(std::string_view display_id) {
  if (!display_id.starts_with("T-")) return 0;
  display_id.remove_prefix(2);
  std::int64_t number = 0;
  const auto* end = display_id.data() + display_id.size();
  const auto [stop, fault] = std::from_chars(display_id.data(), end, number);
  return fault == std::errc{} && stop == end && number > 0 ? number : 0;
}

}  // namespace

void TaskIndex::add(TaskId id, std::int64_t number, std::string_view path,
                    std::optional<std::int64_t> width, std::optional<std::int64_t> height) {
  const Digest digest = digest_of(path);
  tasks_.push_back({.id = id,
                    .number = number,
                    .path_digest = {digest[0], digest[1]},
                    .name_digest = digest_of(last_part(path))[0],
                    .width = pixels(width),
                    .height = pixels(height)});
}

void TaskIndex::ready() {
  std::ranges::sort(tasks_, {}, path_of);
  numbers_.resize(tasks_.size());
  std::iota(numbers_.begin(), numbers_.end(), 0U);
  names_ = numbers_;
  std::ranges::sort(numbers_, {}, [this](std::uint32_t at) { return tasks_[at].number; });
  std::ranges::sort(names_, {}, [this](std::uint32_t at) { return tasks_[at].name_digest; });
}

TaskIndex::Match TaskIndex::match(std::string_view display_id, std::string_view path) const {
  const std::int64_t number = number_of(display_id);
  if (number != 0) {
    const Match known = by_number(number);
    const bool agrees =
        path.empty() || (known.found == Found::one && path_of(tasks_[known.at]) == digest_of(path));
    if (agrees) return known;
  }
  if (path.empty()) return {};
  const Match whole = by_path(path);
  return whole.found == Found::none ? by_name(path) : whole;
}

TaskIndex::Match TaskIndex::by_number(std::int64_t number) const {
  const auto found = std::ranges::lower_bound(
      numbers_, number, {}, [this](std::uint32_t at) { return tasks_[at].number; });
  if (found == numbers_.end() || tasks_[*found].number != number) return {};
  return {Found::one, *found};
}

TaskIndex::Match TaskIndex::by_path(std::string_view path) const {
  const auto found = std::ranges::equal_range(tasks_, digest_of(path), {}, path_of);
  if (found.empty()) return {};
  if (found.size() > 1) return {Found::several, 0};
  return {Found::one, static_cast<std::uint32_t>(found.begin() - tasks_.begin())};
}

TaskIndex::Match TaskIndex::by_name(std::string_view path) const {
  const auto found =
      std::ranges::equal_range(names_, digest_of(last_part(path))[0], {},
                               [this](std::uint32_t at) { return tasks_[at].name_digest; });
  if (found.empty()) return {};
  if (found.size() > 1) return {Found::several, 0};
  return {Found::one, found.front()};
}

}  // namespace annolog::workers
