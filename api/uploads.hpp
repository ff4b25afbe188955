// What the object store holds of an upload, read from its bytes: nothing of it is the client's
// word.
#pragma once

#include <optional>

#include "api/work.hpp"
#include "domain/dataset/view.hpp"
#include "platform/objects/object_store.hpp"

namespace annolog::api {

// Size and MD5. NOT_FOUND when there is no such object. Blocking.
Result<platform::WrittenObject> stored_facts(platform::ObjectStore& store,
                                             const platform::ObjectKey& key);

struct InspectedUpload {
  platform::WrittenObject object;
  std::optional<ImageFacts> image;
};

// Seals the bytes before they are judged: what was checked is what stays. They are opened again
// when they are not good, so that better ones can follow.
awaitable<Result<InspectedUpload>> seal_and_inspect(Services& services, const ItemView& item,
                                                    DataType data_type);
awaitable<Result<void>> open_again(Services& services, const ItemView& item);

}  // namespace annolog::api
