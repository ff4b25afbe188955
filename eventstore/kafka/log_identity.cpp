#include "eventstore/kafka/log_identity.hpp"

#include "eventstore/kafka/log_names.hpp"
#include "eventstore/log_info.hpp"

namespace annolog::eventstore::kafka {
namespace {

constexpr const char* kInfoName = "info";

std::optional<LogInfo> read_info(const Connection& connection, const TopicNames& names,
                                 Deadline deadline) {
  const std::string known = known_value(connection, names.log, kInfoName, deadline);
  return known.empty() ? std::nullopt : std::optional(decode_info(known));
}

}  // namespace

std::optional<LogInfo> known_log(const Connection& connection, const TopicNames& names,
                                 Deadline deadline) {
  const Client client(RD_KAFKA_PRODUCER, connection, {});
  if (!has_topic(client, names.log, deadline)) return std::nullopt;
  return read_info(connection, names, deadline);
}

LogInfo require_log(const Connection& connection, const TopicNames& names, Deadline deadline) {
  require_topics(Client(RD_KAFKA_PRODUCER, connection, {}), names, deadline);
  const auto info = read_info(connection, names, deadline);
  if (!info) throw LogRefused("the log is empty: it was never opened for writing");
  return *info;
}

LogInfo first_log(const Connection& connection, const TopicNames& names, const LogInfo& candidate,
                  Deadline deadline) {
  return decode_info(
      first_value(connection, names.log, kInfoName, encode_info(candidate), deadline));
}

}  // namespace annolog::eventstore::kafka
