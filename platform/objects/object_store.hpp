// The port to where big files lie: uploads, video chunks, archives. Adapters: file_store.hpp.
// A store may be called from any thread; a writer or reader belongs to one thread at a time.
// Nothing here ever holds a whole object: writes and reads go piece by piece.
// Refusals (values):
//   NO_SPACE (unavailable, retry_after_s set)  the medium is full or over quota
//   STORE_READ_ONLY (unavailable)              the medium takes no writes
//   OBJECT_TOO_LARGE (too_large)               more than WriteLimits::max_bytes was written
//   NOT_FOUND (not_found)                      no object under that key
//   OBJECT_KEY_CONFLICT (conflict)             the key runs through an object, or names a folder
//   OBJECT_SEALED (conflict)                   the object is sealed: its bytes stay as they are
//   INVALID_OBJECT_KEY (invalid)               the key runs into what the store keeps for itself,
//                                              or through a symbolic link
// Anything else that breaks (I/O error, failed fsync) throws std::system_error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include "domain/support/result.hpp"
#include "domain/support/timestamp.hpp"
#include "platform/objects/byte_source.hpp"
#include "platform/objects/object_key.hpp"

namespace annolog::platform {

struct ObjectInfo {
  std::uint64_t size_bytes = 0;
  Timestamp modified_at;
};

struct WrittenObject {
  std::uint64_t size_bytes = 0;
  std::string md5_hex;  // lower case
};

struct WriteLimits {
  std::uint64_t max_bytes = std::numeric_limits<std::uint64_t>::max();
};

// One object on its way in. Nothing is visible under the key before commit(); destruction without
// a commit leaves no trace. After a refusal or a throw only destruction makes sense.
class ObjectWriter {
 public:
  virtual ~ObjectWriter() = default;
  virtual Result<void> write(std::span<const std::byte> bytes) = 0;
  // Size and MD5 of what was written so far; they may be asked for before deciding to commit.
  virtual WrittenObject written() const = 0;
  // Makes the object durable and visible at once, in place of any earlier one. At most once.
  virtual Result<WrittenObject> commit() = 0;
};

// An open object keeps showing the same bytes even when the key is written again or removed.
class ObjectReader : public ByteSource {
 public:
  virtual ObjectInfo info() const = 0;
};

class ObjectStore {
 public:
  virtual ~ObjectStore() = default;
  virtual Result<std::unique_ptr<ObjectWriter>> begin_write(const ObjectKey& key,
                                                            WriteLimits limits) = 0;
  virtual Result<ObjectInfo> stat(const ObjectKey& key) = 0;
  virtual Result<std::unique_ptr<ObjectReader>> open_read(const ObjectKey& key) = 0;
  // A sealed object can't be written again, whoever still holds a writer or a URL for it; it can be
  // removed. Survives a restart. NOT_FOUND when there is no such object.
  virtual Result<void> set_sealed(const ObjectKey& key, bool sealed) = 0;
  // True when there was such an object. Removing what is not there is no error.
  virtual Result<bool> remove(const ObjectKey& key) = 0;
  // Removes the object under the key, or all objects below it and the folders that held them; what
  // comes there meanwhile may stay. False: `stop`, asked now and then, said so before the end.
  // Removing what is not there is no error.
  virtual Result<bool> remove_all(const ObjectKey& key, const std::function<bool()>& stop) = 0;
};

}  // namespace annolog::platform
