#include "api/uploads.hpp"

#include <vector>

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

}  // namespace annolog::api
