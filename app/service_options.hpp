// What the settings say to the parts of the service behind the server. Pure but for api_options(),
// which makes the imports' folder anew.
#pragma once

#include "api/auth/sign_in_failures.hpp"
#include "api/services.hpp"
#include "platform/settings.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::app {

api::ApiOptions api_options(const platform::Settings& settings);
projections::ReadPoolOptions read_options(const platform::Settings& settings);
// For what nodes share beside the log: attempts to sign in.
projections::ReadPoolOptions shared_options(const platform::Settings& settings);
api::SignInFailureLimits failure_limits(const platform::Settings& settings);

}  // namespace annolog::app
