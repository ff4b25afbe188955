// What a log says of itself, as one line of text: written once, when it is made. Pure; any thread.
// Source: docs/log-format.md, "Keys".
#pragma once

#include <string>

#include "eventstore/event_log.hpp"

namespace annolog::eventstore {

inline constexpr int kLogFormat = 1;

std::string encode_info(const LogInfo& info);
// Throws LogRefused for another format, LogCorrupted when it is not such a line.
LogInfo decode_info(const std::string& text);

}  // namespace annolog::eventstore
