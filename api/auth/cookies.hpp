// Cookies for the browser alone: no script reads them. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/work.hpp"

namespace annolog::api {

struct Cookie {
  std::string_view name;
  std::string_view value;  // of letters, digits and .-_~
  std::string_view path;
  std::int64_t max_age_s = 0;             // 0 takes it away
  std::string_view same_site = "Strict";  // Lax: also when another site has sent the browser here
};

// The value of Set-Cookie. Secure, but for plain HTTP on this machine itself.
std::string set_cookie(const Call& call, const Services& services, const Cookie& cookie);

}  // namespace annolog::api
