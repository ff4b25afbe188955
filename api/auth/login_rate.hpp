// How often one address may try to sign in (spec, Limits). Any thread.
#pragma once

#include "api/work.hpp"

namespace annolog::api {

// Counts an attempt. Refused: 429 LOGIN_RATE_LIMITED.
Result<void> check_login_rate(const Call& call, Services& services);

}  // namespace annolog::api
