// `annolog import`: a folder of images, and a COCO file beside it, become a project with tasks and
// annotations. Everything goes through the public API. One call per process at a time; it starts
// its own upload threads and joins them before it returns. Sizes are bytes.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

#include "app/client/connection.hpp"

namespace annolog::client {

// What an annotation of a COCO file that has both a box and polygons becomes.
enum class ShapeChoice {
  automatic,  // polygons in an image-seg project, else the box
  boxes,
  polygons,
};

// Without a dataset it is the one with the project's name, and refused when other projects use it:
// they would get these images too.
struct ImportOptions {
  ConnectionOptions connection;
  std::string project;                 // name or id; created when no project has that name
  std::string dataset;                 // name of one's own; created when absent; empty: below
  std::filesystem::path folder;        // walked with its sub-folders
  std::filesystem::path classes;       // one name a line, or a JSON array of names or class objects
  std::filesystem::path coco;          // COCO instances file; empty: none
  std::string type_key = "image-det";  // of a project that is created
  std::string description;             // of a project that is created
  bool review_required = false;        // of a project that is created
  ShapeChoice shapes = ShapeChoice::automatic;
  int parallel = 4;       // uploads under way at once, 1..32
  bool dry_run = false;   // look and count, write nothing
  bool terminal = false;  // err is a terminal: the progress line is redrawn in place
};

// Prints the end report to out, progress and one line per problem to err. Returns the exit code:
// 0 all done, 1 something failed (the rest is done; run again to continue), 2 unusable options.
int run_import(const ImportOptions& options, std::ostream& out, std::ostream& err);

}  // namespace annolog::client
