// The media type that a file's name tells, for files whose sender told none.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "domain/support/text.hpp"

namespace annolog {

inline constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kNamedMediaTypes = {{
    {".png", "image/png"},
    {".jpg", "image/jpeg"},
    {".jpeg", "image/jpeg"},
    {".webp", "image/webp"},
    {".gif", "image/gif"},
    {".bmp", "image/bmp"},
    {".tif", "image/tiff"},
    {".tiff", "image/tiff"},
    {".mp4", "video/mp4"},
    {".m4v", "video/mp4"},
    {".webm", "video/webm"},
    {".mov", "video/quicktime"},
    {".avi", "video/x-msvideo"},
    {".mkv", "video/x-matroska"},
}};

// Empty where the extension is not known.
inline std::string_view media_type_of_name(std::string_view file_name) {
  const auto name = lower_ascii(file_name);
  for (const auto& [extension, type] : kNamedMediaTypes) {
    if (name.size() > extension.size() && name.ends_with(extension)) return type;
  }
  return {};
}

}  // namespace annolog
