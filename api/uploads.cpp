#include "api/uploads.hpp"

#include <chrono>
#include <utility>
#include <vector>

#include "domain/support/text.hpp"
#include "platform/digest.hpp"
#include "platform/encoding.hpp"

namespace annolog::api {

Result<platform::WrittenObject> stored_facts(platform::ObjectStore& store,
                                             const platform::ObjectKey& key) {
  constexpr std::size_t kPieceBytes = 1 << 20;
  BOOST_OUTCOME_TRY(auto reader, store.open_read(key));
  platform::Md5 md5;
  std::vector<std::byte> buffer(kPieceBytes);
  std::uint64_t offset = 0;
  while (const std::size_t n = reader->read_at(offset, buffer)) {
    md5.update({reinterpret_cast<const char*>(buffer.data()), n});
    offset += n;
  }
  return platform::WrittenObject{offset, platform::to_hex(platform::as_bytes_view(md5.finish()))};
}

namespace {

using platform::ObjectKey;

Result<InspectedUpload> inspect(Services& services, const ItemView& item, DataType data_type) {
  BOOST_OUTCOME_TRY(auto key, ObjectKey::parse(item.file_path));
  auto object = stored_facts(services.objects, key);
  if (!object && object.error().code == "NOT_FOUND") {
    return validation_error(
        {{{"item_id"}, "Nothing was uploaded for this item yet.", "object_missing"}});
  }
  if (!object) return std::move(object).error();
  InspectedUpload seen{std::move(object).value(), std::nullopt};
  if (data_type == DataType::image || item.file_type.starts_with("image/")) {
    BOOST_OUTCOME_TRY(auto reader, services.objects.open_read(key));
    auto image = services.probe_image(*reader, item.file_type);
    if (!image) {
      return validation_error(
          {{{"item_id"}, image.error().message, lower_ascii(image.error().code)}});
    }
    seen.image = image.value();
  }
  return seen;
}

Result<InspectedUpload> seal_first(Services& services, const ItemView& item, DataType data_type) {
  BOOST_OUTCOME_TRY(auto key, ObjectKey::parse(item.file_path));
  const auto sealed = services.objects.set_sealed(key, true);
  if (!sealed && sealed.error().code != "NOT_FOUND") return sealed.error();
  auto seen = inspect(services, item, data_type);
  if (!seen && sealed) {
    BOOST_OUTCOME_TRY(services.objects.set_sealed(key, false));
  }
  return seen;
}

constexpr std::chrono::minutes kLongestTurn{10};  // behind other large files

}  // namespace

// What only a video may be as large as is read beside the file threads: all uploads and downloads
// go through those, and would wait for minutes.
awaitable<Result<InspectedUpload>> seal_and_inspect(Services& services, const ItemView& item,
                                                    DataType data_type) {
  const auto inspected = [&] { return seal_first(services, item, data_type); };
  if (item.file_size <= kMaxImageBytes)
    co_return co_await http::blocking(services.file_threads, inspected);
  co_return co_await http::blocking(services.hash_threads, inspected, kLongestTurn);
}

awaitable<Result<void>> open_again(Services& services, const ItemView& item) {
  co_return co_await http::blocking(services.file_threads, [&]() -> Result<void> {
    BOOST_OUTCOME_TRY(auto key, ObjectKey::parse(item.file_path));
    return services.objects.set_sealed(key, false);
  });
}

}  // namespace annolog::api
