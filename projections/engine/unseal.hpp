// Opens a personal field of a person; nullopt when the person's key is gone (erased). Called on
// the projector's thread. A broken key store throws.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "domain/identity/sealed.hpp"
#include "domain/support/ids.hpp"

namespace annolog::projections {

using Unseal = std::function<std::optional<std::string>(UserId, const Sealed&)>;

}  // namespace annolog::projections
