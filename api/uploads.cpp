#include "api/uploads.hpp"

#include <vector>

#include "platform/digest.hpp"
#include "platform/encoding.hpp"

namespace annolog::api {

void Uploads::remember(const std::string& key, const platform::WrittenObject& written) {
  const std::lock_guard guard(mutex_);
  if (!known_.insert_or_assign(key, written).second) return;
  order_.push_back(key);
  if (order_.size() > kRemembered) {
    known_.erase(order_.front());
    order_.pop_front();
  }
}

Result<platform::WrittenObject> Uploads::facts(const platform::ObjectKey& key) {
  {
    const std::lock_guard guard(mutex_);
    if (const auto found = known_.find(key.text()); found != known_.end()) return found->second;
  }
  return read_facts(key);
}

Result<platform::WrittenObject> Uploads::read_facts(const platform::ObjectKey& key) {
  BOOST_OUTCOME_TRY(auto reader, store_.open_read(key));
  platform::Md5 md5;
  std::vector<std::byte> buffer(1 << 20);
  std::uint64_t offset = 0;
  for (;;) {
    const std::size_t n = reader->read_at(offset, buffer);
    if (n == 0) break;
    md5.update({reinterpret_cast<const char*>(buffer.data()), n});
    offset += n;
  }
  return platform::WrittenObject{offset, platform::to_hex(platform::as_bytes_view(md5.finish()))};
}

}  // namespace annolog::api
