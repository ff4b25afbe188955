// Reads the sizes of items from their bytes. Blocking; any thread.
#pragma once

#include <atomic>
#include <span>
#include <vector>

#include "domain/dataset/commands.hpp"
#include "domain/dataset/view.hpp"
#include "platform/log.hpp"
#include "platform/objects/object_store.hpp"

namespace annolog::workers {

struct MeasuredItems {
  std::vector<ItemSize> sizes;
  std::vector<MeasureFailure> failed;  // nothing there, no image, or the store can't read it
  std::size_t count() const { return sizes.size() + failed.size(); }
};

// In order; fewer when `given_up`, if any, turns true meanwhile.
MeasuredItems measure_items(platform::ObjectStore& objects, platform::Logger& logger,
                            std::span<const ItemView> items,
                            const std::atomic<bool>* given_up = nullptr);

}  // namespace annolog::workers
