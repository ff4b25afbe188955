#include "api/new_person.hpp"

namespace annolog::api {

DomainError key_store_away() {
  return {DomainError::Kind::unavailable,
          "STORAGE_UNAVAILABLE",
          "The person's key can't be stored or read; nothing was written.",
          {},
          {},
          5};
}

bool is_nobodys_key(const Result<Done>& done) {
  return done ? done.value().replayed : done.error().kind != DomainError::Kind::unavailable;
}

void forget_key(const std::string& key, Services& services) {
  try {
    services.personal_data.forget(key);
  } catch (const std::runtime_error& error) {
    services.logger.warn("an unused key can't be removed", {{"error", error.what()}});
  }
}

}  // namespace annolog::api
