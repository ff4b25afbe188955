// The key under which a new person's fields are sealed, from the moment it is made until a command
// has taken it up. Blocking: call from the login threads.
#pragma once

#include <stdexcept>
#include <string>
#include <type_traits>

#include "api/services.hpp"
#include "api/work.hpp"
#include "domain/support/result.hpp"

namespace annolog::api {

DomainError key_store_away();

// What `make` answers. The disk of the keys may be full or broken: then 503, nothing was done, and
// it can be tried again.
template <class Make, class Made = std::invoke_result_t<Make>>
Made with_key_store(Services& services, const Make& make) {
  try {
    return make();
  } catch (const std::runtime_error& error) {
    services.logger.error("a person's key can't be stored or read", {{"error", error.what()}});
    return key_store_away();
  }
}

// Whether the key that went with the command is nobody's: the command was refused, or had been done
// by a first try. Not so when its outcome is unknown. A key that stays behind harms nobody.
bool is_nobodys_key(const Result<Done>& done);
void forget_key(const std::string& key, Services& services);

}  // namespace annolog::api
