#include "eventstore/memory/memory_subject_keys.hpp"

#include <openssl/rand.h>

#include <map>
#include <mutex>
#include <stdexcept>
#include <string>

namespace annolog::eventstore {
namespace {

class MemorySubjectKeys final : public SubjectKeys {
 public:
  std::optional<SubjectKey> get(std::string_view subject) const override {
    const std::lock_guard lock(mutex_);
    const auto found = keys_.find(subject);
    return found == keys_.end() ? std::nullopt : std::optional(found->second);
  }

  SubjectKey create(std::string_view subject) override {
    const std::lock_guard lock(mutex_);
    const auto [at, is_new] = keys_.try_emplace(std::string(subject));
    if (is_new && RAND_bytes(at->second.data(), static_cast<int>(at->second.size())) != 1) {
      keys_.erase(at);
      throw std::runtime_error("the system gives no random bytes");
    }
    return at->second;
  }

  void erase(std::string_view subject) override {
    const std::lock_guard lock(mutex_);
    const auto found = keys_.find(subject);
    if (found != keys_.end()) keys_.erase(found);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, SubjectKey, std::less<>> keys_;
};

}  // namespace

std::unique_ptr<SubjectKeys> make_memory_subject_keys() {
  return std::make_unique<MemorySubjectKeys>();
}

}  // namespace annolog::eventstore
