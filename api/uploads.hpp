// What is known of uploaded objects: size and MD5, taken while the bytes came in, else by reading
// them again. Any thread; facts() blocks.
#pragma once

#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <unordered_map>

#include "domain/support/result.hpp"
#include "platform/objects/object_store.hpp"

namespace annolog::api {

class Uploads {
 public:
  explicit Uploads(platform::ObjectStore& store) : store_(store) {}

  // Remembered from the upload itself, for a bounded number of the latest ones.
  void remember(const std::string& key, const platform::WrittenObject& written);
  // NOT_FOUND when there is no such object.
  Result<platform::WrittenObject> facts(const platform::ObjectKey& key);

 private:
  Result<platform::WrittenObject> read_facts(const platform::ObjectKey& key);

  static constexpr std::size_t kRemembered = 10'000;

  platform::ObjectStore& store_;
  std::mutex mutex_;
  std::unordered_map<std::string, platform::WrittenObject> known_;
  std::list<std::string> order_;
};

}  // namespace annolog::api
