// The answer that streams an export from a thread of its own.
#pragma once

#include <memory>

#include "api/places.hpp"
#include "api/work.hpp"

namespace annolog::api {

// `place` is held until the last byte is written. Throws http::Unavailable when the service stops.
http::Reply stream_job(Call& call, Services& services, std::shared_ptr<ExportJob> job,
                       Places::Place place);

}  // namespace annolog::api
