// How often in a row somebody has failed to sign in, by client address and username: after some
// failures the next attempt needs a captcha (spec, "Authentication" 4). Counted in PostgreSQL, by
// its clock, for all nodes and over restarts. Blocking; any thread. Throws ReadUnavailable.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "platform/digest.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::api {

struct SignInFailureLimits {
  std::int64_t before_captcha = 3;   // failures in a row
  std::chrono::seconds window{180};  // after the last of them all is forgotten
};

class SignInFailures {
 public:
  // `store` outlives this.
  SignInFailures(projections::ReadPool& store, const platform::MacKey& key,
                 SignInFailureLimits limits)
      : store_(&store), key_(key), limits_(limits) {}

  // Whether this caller's next attempt needs a captcha.
  bool captcha_required(std::string_view address, std::string_view username) const;
  // Counts one; answers the same for the attempt after it.
  bool add(std::string_view address, std::string_view username);
  void clear(std::string_view address, std::string_view username);

 private:
  std::string caller(std::string_view address, std::string_view username) const;

  projections::ReadPool* store_;
  platform::MacKey key_;
  SignInFailureLimits limits_;
};

}  // namespace annolog::api
