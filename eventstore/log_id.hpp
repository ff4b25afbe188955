// The random UUID (version 4, RFC 9562) that a log gets when it is created.
#pragma once

#include <string>

namespace annolog::eventstore {

std::string random_log_id();

}  // namespace annolog::eventstore
