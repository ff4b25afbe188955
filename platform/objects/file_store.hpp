// The object store in a folder: object `a/b.jpg` is the regular file ROOT/a/b.jpg, so files that
// are copied below the root by hand are objects too. Uploads gather in ROOT/.partial (a key may
// not begin with that segment) and are renamed into place: fsync of the file, rename, fsync of
// the folder. Every folder on the way is opened relative to its parent without following symbolic
// links, so no key leads out of the root. Any thread; several processes may share one root.
// Errors: as in object_store.hpp.
#pragma once

#include <filesystem>
#include <memory>

#include "platform/objects/object_store.hpp"

namespace annolog::platform {

class FileStore final : public ObjectStore {
 public:
  // Creates the folders when they are missing and clears uploads that a crash left behind.
  // Throws std::system_error when the root can't be used.
  explicit FileStore(const std::filesystem::path& root);
  ~FileStore() override;

  Result<std::unique_ptr<ObjectWriter>> begin_write(const ObjectKey& key,
                                                    WriteLimits limits) override;
  Result<ObjectInfo> stat(const ObjectKey& key) override;
  Result<std::unique_ptr<ObjectReader>> open_read(const ObjectKey& key) override;
  Result<void> set_sealed(const ObjectKey& key, bool sealed) override;
  Result<bool> remove(const ObjectKey& key) override;
  Result<bool> remove_all(const ObjectKey& key, const std::function<bool()>& stop) override;

 private:
  struct Folders;  // shared with writers, which may outlive a call but not need the store
  std::shared_ptr<const Folders> folders_;
};

}  // namespace annolog::platform
