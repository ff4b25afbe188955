// How the HTTP server listens, by the settings. Pure.
#pragma once

#include "api/http/server_options.hpp"
#include "platform/settings.hpp"

namespace annolog::app {

http::ServerOptions server_options(const platform::Settings& settings);

}  // namespace annolog::app
