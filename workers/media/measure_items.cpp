#include "workers/media/measure_items.hpp"

#include <system_error>

#include "workers/media/image_size.hpp"

namespace annolog::workers {
namespace {

Result<ImageSize> measure(platform::ObjectStore& objects, platform::Logger& logger,
                          const ItemView& item) {
  try {
    BOOST_OUTCOME_TRY(auto key, platform::ObjectKey::parse(item.file_path));
    BOOST_OUTCOME_TRY(auto reader, objects.open_read(key));
    return probe_image(*reader);
  } catch (const std::system_error& error) {
    logger.error("an object can't be read", {{"key", item.file_path}, {"error", error.what()}});
    return DomainError{DomainError::Kind::invalid,
                       "UNREADABLE",
                       "The object store can't read the file.",
                       {},
                       {},
                       0};
  }
}

}  // namespace

MeasuredItems measure_items(platform::ObjectStore& objects, platform::Logger& logger,
                            std::span<const ItemView> items, const std::atomic<bool>* given_up) {
  MeasuredItems measured;
  for (const ItemView& item : items) {
    if (given_up != nullptr && *given_up) break;
    const auto size = measure(objects, logger, item);
    if (size) {
      measured.sizes.push_back({item.id, size.value().width, size.value().height});
    } else if (size.error().code == "NOT_FOUND") {
      measured.failed.push_back({item.id, "Nothing lies at the item's file_path."});
    } else {
      measured.failed.push_back({item.id, size.error().message});
    }
  }
  return measured;
}

}  // namespace annolog::workers
