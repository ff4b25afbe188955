// Where a dataset's objects lie in the object store. Keys are as platform/objects has them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/support/ids.hpp"

namespace annolog {

// All that the service keeps for a dataset lies below this key, and nothing else does.
std::string objects_of(DatasetId dataset);
// The upload of an item lies below this key. Items that were registered in place lie elsewhere.
std::string objects_of(DatasetId dataset, ItemId item);
bool is_upload_of(DatasetId dataset, ItemId item, const std::string& file_path);

struct UploadOwner {
  DatasetId dataset_id;
  ItemId item_id;
  bool operator==(const UploadOwner&) const = default;
};
// The item whose upload lies under this key, whether or not there is one; absent: no item's.
std::optional<UploadOwner> owner_of_upload(std::string_view key);

// Key of an item's bytes in the object store.
std::string object_key_of(DatasetId dataset, ItemId item, const std::string& file_name);
// Key of an item's thumbnail. No upload can take it: theirs begin with a number there.
std::string thumbnail_key_of(DatasetId dataset, ItemId item);

}  // namespace annolog
