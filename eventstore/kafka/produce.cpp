#include "eventstore/kafka/produce.hpp"

#include <array>
#include <bit>

namespace annolog::eventstore::kafka {
namespace {

static_assert(sizeof(void*) == sizeof(std::uint64_t));

template <class Fill>
rd_kafka_vu_t part(rd_kafka_vtype_t type, const Fill& fill) {
  rd_kafka_vu_t part{};
  part.vtype = type;
  fill(part.u);
  return part;
}

}  // namespace

Error produce(const Client& client, Message& message, std::uint64_t number) {
  std::unique_ptr<rd_kafka_headers_t, Destroy<&rd_kafka_headers_destroy>> headers(
      rd_kafka_headers_new(message.headers.size()));
  for (const auto& [name, value] : message.headers)
    rd_kafka_header_add(headers.get(), name.data(), static_cast<ssize_t>(name.size()), value.data(),
                        static_cast<ssize_t>(value.size()));
  const std::array parts{
      part(RD_KAFKA_VTYPE_TOPIC, [&](auto& u) { u.cstr = message.topic.c_str(); }),
      part(RD_KAFKA_VTYPE_PARTITION, [&](auto& u) { u.i32 = message.partition; }),
      part(RD_KAFKA_VTYPE_MSGFLAGS, [](auto& u) { u.i = RD_KAFKA_MSG_F_COPY; }),
      part(RD_KAFKA_VTYPE_KEY, [&](auto& u) { u.mem = {message.key.data(), message.key.size()}; }),
      part(RD_KAFKA_VTYPE_VALUE,
           [&](auto& u) {
             if (message.value) u.mem = {message.value->data(), message.value->size()};
           }),
      part(RD_KAFKA_VTYPE_TIMESTAMP, [&](auto& u) { u.i64 = message.time_ms; }),
      part(RD_KAFKA_VTYPE_OPAQUE, [&](auto& u) { u.ptr = std::bit_cast<void*>(number); }),
      part(RD_KAFKA_VTYPE_HEADERS, [&](auto& u) { u.headers = headers.get(); }),
  };
  Error error(rd_kafka_produceva(client.get(), parts.data(), parts.size()));
  if (!error) static_cast<void>(headers.release());  // the library's now
  return error;
}

std::uint64_t produced_number(const rd_kafka_message_t& message) {
  return std::bit_cast<std::uint64_t>(message._private);
}

}  // namespace annolog::eventstore::kafka
