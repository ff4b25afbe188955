// A deletion is done when it is recorded; what it leaves elsewhere goes in steps (RemovalRunner).
// The caller waits for them a while, so that a name is free and bytes are gone when it hears of it.
#pragma once

#include "api/work.hpp"

namespace annolog::api {

// Returns at the latest after a few seconds; the steps go on by themselves.
awaitable<void> await_removal(Call& call, Services& services, commands::ReadRemoval removal);
// True when all tasks and the link are gone.
awaitable<bool> await_unlinking(Call& call, Services& services, commands::ReadUnlinking unlinking);

}  // namespace annolog::api
