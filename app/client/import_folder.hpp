// The images of a folder: what an import looks at before it asks the service anything.
// Pure but for reading the file system; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace annolog::client {

struct FolderImage {
  std::filesystem::path path;
  std::string file_name;  // relative to the folder, with '/'
  std::uint64_t bytes = 0;
  std::string content_type;
};

struct FolderListing {
  std::vector<FolderImage> images;    // sorted by file_name
  std::vector<std::string> problems;  // one line each: what could not be looked at, and why
};

// Images by extension (png, jpg, jpeg, webp, gif, bmp, tif, tiff in any case), with sub-folders.
// Hidden files and folders are left out, links to folders are not followed.
// Throws std::filesystem::filesystem_error when the folder itself can't be read.
FolderListing list_images(const std::filesystem::path& folder);

// Empty when the extension is not an image's.
std::string_view image_type_of(const std::filesystem::path& file);

}  // namespace annolog::client
