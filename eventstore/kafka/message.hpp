// A message to be written. A plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace annolog::eventstore::kafka {

using MessageHeader = std::pair<std::string_view, std::string>;  // the name is a literal

struct Message {
  std::string topic;
  std::int32_t partition = 0;
  std::string key;
  std::optional<std::string> value;  // absent: a tombstone
  std::vector<MessageHeader> headers = {};
  std::int64_t time_ms = 0;  // 0: now
};

}  // namespace annolog::eventstore::kafka
