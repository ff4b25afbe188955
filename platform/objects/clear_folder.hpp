// Removes what lies in a folder of the file store. For platform/objects only.
#pragma once

#include <functional>

#include "platform/objects/fd.hpp"

namespace annolog::platform {

// Unlinks everything below the folder, depth first, following no symbolic link. Nothing is synced:
// whoever removes a tree repeats it after a crash. False: `stop` said so before the end. Throws
// std::system_error.
bool clear_folder(Fd folder, const std::function<bool()>& stop);

}  // namespace annolog::platform
