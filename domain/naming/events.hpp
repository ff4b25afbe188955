// Unique names across shards: the directory reserves a name before the resource's own shard acts,
// and confirms or releases it after. The reservation carries the whole wish, so that a process
// manager can finish it after a crash, or when it is not known what came of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include "domain/support/ids.hpp"
#include "domain/support/json_text.hpp"

namespace annolog {

enum class NameKind : std::uint8_t { project, dataset };
BOOST_DESCRIBE_ENUM(NameKind, project, dataset)

struct NameReserved {
  static constexpr std::string_view kType = "name.reserved";
  static constexpr int kVersion = 1;
  NameKind kind = NameKind::project;
  std::int64_t scope = 0;      // datasets: the creator's id; projects: 0
  std::int64_t holder_id = 0;  // id of the resource that will bear the name
  std::string name;
  bool rename = false;  // the holder exists and bears another name until confirmed
  JsonText wish;        // the command to be done in the holder's shard
  bool operator==(const NameReserved&) const = default;
};
BOOST_DESCRIBE_STRUCT(NameReserved, (), (kind, scope, holder_id, name, rename, wish))

// The holder bears the name now; the name it bore before is free.
struct NameConfirmed {
  static constexpr std::string_view kType = "name.confirmed";
  static constexpr int kVersion = 1;
  NameKind kind = NameKind::project;
  std::int64_t scope = 0;
  std::int64_t holder_id = 0;
  std::string name;
  bool operator==(const NameConfirmed&) const = default;
};
BOOST_DESCRIBE_STRUCT(NameConfirmed, (), (kind, scope, holder_id, name))

// The wish was refused; the name is free.
struct NameReleased {
  static constexpr std::string_view kType = "name.released";
  static constexpr int kVersion = 1;
  NameKind kind = NameKind::project;
  std::int64_t scope = 0;
  std::int64_t holder_id = 0;
  std::string name;
  bool operator==(const NameReleased&) const = default;
};
BOOST_DESCRIBE_STRUCT(NameReleased, (), (kind, scope, holder_id, name))

// The bearer is gone; its name is free.
struct NameFreed {
  static constexpr std::string_view kType = "name.freed";
  static constexpr int kVersion = 1;
  NameKind kind = NameKind::project;
  std::int64_t scope = 0;
  std::int64_t holder_id = 0;
  std::string name;
  bool operator==(const NameFreed&) const = default;
};
BOOST_DESCRIBE_STRUCT(NameFreed, (), (kind, scope, holder_id, name))

}  // namespace annolog
