// The lists of classes of YOLO documents: data.yaml, obj.names, classes.txt. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace annolog::workers {

inline constexpr std::size_t kYoloClassesMax = 100'000;

struct YoloClasses {
  std::map<std::int64_t, std::string> names;  // by index; UTF-8 whatever the file held
  bool poses = false;                         // lines hold keypoints (`kpt_shape`)
  bool too_many = false;
};

// That of UTF-8, which editors of some systems put before a text.
std::string_view without_byte_order_mark(std::string_view text);
// A name a line, the first is 0.
YoloClasses classes_of_lines(std::string_view text);
// `names` as a list or as a map from indexes; absent: no YAML, or without such names.
std::optional<YoloClasses> classes_of_yaml(const std::string& text);

}  // namespace annolog::workers
