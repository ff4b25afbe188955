// Uploads the images of a folder into a dataset: upload-init, PUT to the signed URL,
// upload-complete (decisions, section 6), several files at once. What is there already, by MD5, is
// not sent again, so that a second run continues the first. Called from one thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/client/api_client.hpp"
#include "app/client/import_folder.hpp"
#include "app/client/progress.hpp"

namespace annolog::client {

struct UploadPlan {
  std::int64_t dataset_id = 0;  // 0 in a dry run whose dataset does not exist
  int parallel = 4;
  bool dry_run = false;
};

struct UploadReport {
  std::size_t uploaded = 0;  // in a dry run: would be
  std::size_t present = 0;
  std::size_t failed = 0;
  std::uint64_t bytes = 0;
  // Which item holds a file's bytes, also when another file brought them.
  std::map<std::string, std::int64_t> item_of_file;
  std::string fatal;  // why the whole upload was given up; empty when it was not
};

UploadReport upload_images(const std::shared_ptr<Session>& session, const UploadPlan& plan,
                           const std::vector<FolderImage>& images, Progress& progress);

}  // namespace annolog::client
