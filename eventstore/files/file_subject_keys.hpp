// Subject keys, one small file each (mode 0600) in `folder` (0700): FOLDER/ab/cdef…, named by the
// SHA-256 of the subject. Created by write, sync, rename, sync of the folder; erased by
// overwriting, sync, unlink, sync of the folder, so that no log or compaction keeps a copy. Any
// thread, one process.
#pragma once

#include <filesystem>
#include <memory>

#include "eventstore/subject_key_import.hpp"
#include "eventstore/subject_keys.hpp"

namespace annolog::eventstore {

std::unique_ptr<SubjectKeys> open_file_subject_keys(const std::filesystem::path& folder);
std::unique_ptr<SubjectKeyImport> open_file_key_import(const std::filesystem::path& folder);

}  // namespace annolog::eventstore
