#include "api/auth/login_rate.hpp"

namespace annolog::api {

Result<void> check_login_rate(const Call& call, Services& services) {
  const auto rate = services.login_rate.hit(call.head().client_address);
  if (rate.allowed) return success();
  return DomainError{DomainError::Kind::limited,
                     "LOGIN_RATE_LIMITED",
                     "Too many sign-ins from this address.",
                     {},
                     {},
                     static_cast<int>(rate.retry_after_s)};
}

}  // namespace annolog::api
