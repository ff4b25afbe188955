// What the object store holds of an upload, read from its bytes: nothing of it is the client's
// word. Blocking: call from the file threads.
#pragma once

#include "domain/support/result.hpp"
#include "platform/objects/object_store.hpp"

namespace annolog::api {

// Size and MD5. NOT_FOUND when there is no such object.
Result<platform::WrittenObject> stored_facts(platform::ObjectStore& store,
                                             const platform::ObjectKey& key);

}  // namespace annolog::api
