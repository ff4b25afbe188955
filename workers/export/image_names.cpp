#include "workers/export/image_names.hpp"

#include <algorithm>
#include <utility>

#include "platform/objects/object_key.hpp"
#include "workers/export/line_text.hpp"

namespace annolog::workers {
namespace {

// FNV-1a, 64 bits: fixed for all time, since names depend on it. Never 0.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash == 0 ? 1 : hash;
}

bool is_whole_line(std::string_view stem) {
  return stem.front() != '#' && trimmed(stem).size() == stem.size();
}

}  // namespace

std::size_t extension_at(std::string_view path) {
  const std::size_t name = path.rfind('/') + 1;  // npos + 1 is 0
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos || dot <= name) return path.size();
  return path.find_first_not_of('.', name) < dot ? dot : path.size();
}

ImageName ImageNames::next(const ExportImage& image) {
  const bool safe = platform::ObjectKey::parse(image.file_path).has_value();
  const std::string id = std::to_string(image.task_id.value);
  std::string path = safe ? image.file_path : "task_" + id;
  const std::size_t dot = extension_at(path);
  std::string stem = path.substr(0, dot);
  const std::string extension = path.substr(dot);
  if (stems_ == Stems::whole_lines && !is_whole_line(stem)) stem = "task_" + id;
  const std::string suffix = "~" + id;
  if (safe && shared_.contains(image.file_path)) stem += suffix;
  while (!taken_.insert(stem)) stem += suffix;
  std::string name = stem + extension;
  return {std::move(name), std::move(stem), std::move(path)};
}

SharedPaths::SharedPaths(ExportSource& source) {
  HashedTexts seen;
  source.rewind(ExportSource::Pass::images);
  ExportImage image;
  while (source.next_image(image)) {
    if (!seen.insert(image.file_path)) hashes_.push_back(hash_of(image.file_path));
  }
  std::ranges::sort(hashes_);
  const auto repeated = std::ranges::unique(hashes_);
  hashes_.erase(repeated.begin(), repeated.end());
}

bool SharedPaths::contains(std::string_view path) const {
  return std::ranges::binary_search(hashes_, hash_of(path));
}

bool HashedTexts::insert(std::string_view text) {
  if (used_ * 4 >= slots_.size() * 3) grow();
  const std::uint64_t hash = hash_of(text);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = static_cast<std::size_t>(hash) & mask;
  while (slots_[at] != 0) {
    if (slots_[at] == hash) return false;
    at = (at + 1) & mask;
  }
  slots_[at] = hash;
  ++used_;
  return true;
}

void HashedTexts::grow() {
  std::vector<std::uint64_t> before(slots_.empty() ? 64 : slots_.size() * 2);
  before.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const std::uint64_t hash : before) {
    if (hash == 0) continue;
    std::size_t at = static_cast<std::size_t>(hash) & mask;
    while (slots_[at] != 0) at = (at + 1) & mask;
    slots_[at] = hash;
  }
}

}  // namespace annolog::workers
