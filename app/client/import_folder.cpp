#include "app/client/import_folder.hpp"

#include <algorithm>
#include <utility>

#include "domain/support/media_types.hpp"

namespace annolog::client {
namespace {

namespace fs = std::filesystem;

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

void take(const fs::directory_entry& entry, const fs::path& folder, FolderListing& listing) {
  const std::string_view type = image_type_of(entry.path());
  if (type.empty()) return;
  std::error_code fault;
  const std::string name = entry.path().lexically_relative(folder).generic_string();
  const bool regular = entry.is_regular_file(fault);
  if (fault) {
    listing.problems.push_back(name + ": " + fault.message());
    return;
  }
  if (!regular) return;
  const std::uintmax_t bytes = entry.file_size(fault);
  if (fault) {
    listing.problems.push_back(name + ": " + fault.message());
  } else if (bytes == 0) {
    listing.problems.push_back(name + ": the file is empty");
  } else {
    listing.images.push_back({entry.path(), name, bytes, std::string(type)});
  }
}

}  // namespace

std::string_view image_type_of(const fs::path& file) {
  const auto type = media_type_of_name(file.filename().string());
  return type.starts_with("image/") ? type : std::string_view{};
}

FolderListing list_images(const fs::path& folder) {
  FolderListing listing;
  // Folder by folder, so that one that can't be read is a problem and not the end of the walk.
  std::vector<fs::path> waiting{folder};
  while (!waiting.empty()) {
    const fs::path here = std::move(waiting.back());
    waiting.pop_back();
    std::error_code fault;
    fs::directory_iterator entries(here, fault);
    if (fault) {
      if (here == folder) throw fs::filesystem_error("cannot read the folder", folder, fault);
      listing.problems.push_back(here.lexically_relative(folder).generic_string() + ": " +
                                 fault.message());
      continue;
    }
    for (; entries != fs::directory_iterator(); entries.increment(fault)) {
      const fs::directory_entry& entry = *entries;
      if (is_hidden(entry.path())) continue;
      std::error_code unknown;
      if (!entry.is_symlink(unknown) && entry.is_directory(unknown)) {
        waiting.push_back(entry.path());
      } else {
        take(entry, folder, listing);
      }
      if (fault) break;
    }
    if (fault) listing.problems.push_back(here.generic_string() + ": " + fault.message());
  }
  std::ranges::sort(listing.images, {}, &FolderImage::file_name);
  std::ranges::sort(listing.problems);
  return listing;
}

}  // namespace annolog::client
