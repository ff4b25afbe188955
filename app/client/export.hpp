// `annolog export`: a project's annotations, or a batch's, into a file, whole or not at all. The
// answer streams to OUTPUT.part, which is synced and renamed once it is complete. Single-threaded.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "app/client/connection.hpp"

namespace annolog::client {

struct ExportOptions {
  ConnectionOptions connection;
  std::string project;                    // name or id
  std::optional<std::string> batch = {};  // id or display id, e.g. B-3; none: the whole project
  std::string format = "coco";            // coco, voc, yolo, native_json
  bool include_attributes = false;
  std::vector<std::string> statuses = {};  // of tasks; empty: all
  std::vector<std::string> classes = {};   // names; only annotations of these; empty: all
  // "-": to out. Empty: project-<id>[-batch-<batch>]-<format>.<json|zip> in the working directory.
  std::filesystem::path output;
};

// Prints bytes and SHA-256 to out (to err when the document itself goes to out).
// Returns the exit code: 0 written, 1 failed and nothing left behind, 2 unusable options.
int run_export(const ExportOptions& options, std::ostream& out, std::ostream& err);

}  // namespace annolog::client
