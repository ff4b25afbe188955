// Finds the task of an image by what a zip calls it: tools put images and labels in folders of
// their own, and our exports name some files otherwise (workers/export/image_names.hpp). Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "workers/import/task_index.hpp"

namespace annolog::workers {

// Where the path within images/, labels/, obj_train_data/ … begins; 0: there is no such folder.
std::size_t layout_end(std::string_view path);

// Slashes forward, none at the front; no `./`.
std::string plain_path(std::string_view path);

// Without such a folder in front, then as our exports call it, then with fewer and fewer folders,
// last by the bare file name. `part`: stem where the path has no extension.
TaskIndex::Match match_image(const TaskIndex& tasks, std::string_view path, TaskIndex::Part part);

// What an image and its label file have in common: images/train/a.jpg and labels/train/a.txt.
std::string label_key(std::string_view path);

}  // namespace annolog::workers
