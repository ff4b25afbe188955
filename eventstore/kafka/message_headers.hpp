// The headers of a received message. Pure; any thread.
#pragma once

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace annolog::eventstore::kafka {

// Calls visit(name, value) for each header in order; the views are good while the message is.
template <class Visit>
void each_header(const rd_kafka_message_t& message, const Visit& visit) {
  rd_kafka_headers_t* headers = nullptr;
  if (rd_kafka_message_headers(&message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) return;
  const char* name = nullptr;
  const void* value = nullptr;
  std::size_t size = 0;
  for (std::size_t i = 0;
       rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR; ++i)
    visit(std::string_view(name), std::string_view(static_cast<const char*>(value), size));
}

// Has the processor fetch a message that will be read soon: the block that it came in is long out
// of the caches. The headers lie behind the value; past the end of the block nothing happens.
inline void warm(const rd_kafka_message_t& message) {
  constexpr std::size_t kHeaderBytes = 512;
  constexpr std::size_t kMostBytes = 2048;
  constexpr std::size_t kCacheLine = 64;
  const char* at = static_cast<const char*>(message.payload);
  const std::size_t size = std::min(message.len + kHeaderBytes, kMostBytes);
  for (std::size_t i = 0; i < size; i += kCacheLine) __builtin_prefetch(at + i);
}

inline std::string_view key_of(const rd_kafka_message_t& message) {
  return {static_cast<const char*>(message.key), message.key_len};
}

inline std::string_view value_of(const rd_kafka_message_t& message) {
  return {static_cast<const char*>(message.payload), message.len};
}

}  // namespace annolog::eventstore::kafka
