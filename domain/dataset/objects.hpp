// Where a dataset's objects lie in the object store. Keys are as platform/objects has them.
#pragma once

#include <string>

#include "domain/support/ids.hpp"

namespace annolog {

// All that the service keeps for a dataset lies below this key, and nothing else does.
std::string objects_of(DatasetId dataset);
// The upload of an item lies below this key. Items that were registered in place lie elsewhere.
std::string objects_of(DatasetId dataset, ItemId item);
bool is_upload_of(DatasetId dataset, ItemId item, const std::string& file_path);

// Key of an item's bytes in the object store.
std::string object_key_of(DatasetId dataset, ItemId item, const std::string& file_name);
// Key of an item's thumbnail. No upload can take it: theirs begin with a number there.
std::string thumbnail_key_of(DatasetId dataset, ItemId item);

}  // namespace annolog
