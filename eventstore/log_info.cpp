#include "eventstore/log_info.hpp"

#include <fmt/format.h>

#include <sstream>

namespace annolog::eventstore {

std::string encode_info(const LogInfo& info) {
  return fmt::format("annolog-log {} shards {} id {}", info.format_version, info.shard_count,
                     info.log_id);
}

LogInfo decode_info(const std::string& text) {
  LogInfo info;
  std::string name;
  std::string shards;
  std::string id;
  std::istringstream in(text);
  in >> name >> info.format_version;
  // Only the name and the version are the same in every format.
  if (!in || name != "annolog-log") throw LogCorrupted("its info is not readable");
  if (info.format_version != kLogFormat)
    throw LogRefused(fmt::format("the log has format {}, this program reads format {}",
                                 info.format_version, kLogFormat));
  in >> shards >> info.shard_count >> id >> info.log_id;
  if (!in || shards != "shards" || id != "id") throw LogCorrupted("its info is not readable");
  return info;
}

}  // namespace annolog::eventstore
