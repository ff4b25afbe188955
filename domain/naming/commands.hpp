// Wishes about unique names, and what may come of them. See events.hpp for the whole process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <boost/describe/class.hpp>

#include "domain/identity/context.hpp"
#include "domain/naming/events.hpp"
#include "domain/project/commands.hpp"

namespace annolog {

struct ReserveName {
  NameKind kind = NameKind::project;
  std::int64_t scope = 0;
  std::int64_t holder_id = 0;  // 0: a new resource, which gets the next id
  std::string name;            // trimmed
  JsonText wish;
};
BOOST_DESCRIBE_STRUCT(ReserveName, (), (kind, scope, holder_id, name, wish))

// Settle the reservation of exactly this name; without effect when another or none is pending.
struct ConfirmName {
  NameKind kind = NameKind::project;
  std::int64_t holder_id = 0;
  std::string name;
};
BOOST_DESCRIBE_STRUCT(ConfirmName, (), (kind, holder_id, name))

struct ReleaseName {
  NameKind kind = NameKind::project;
  std::int64_t holder_id = 0;
  std::string name;
};
BOOST_DESCRIBE_STRUCT(ReleaseName, (), (kind, holder_id, name))

// The holder is gone: the name that it bears is free.
struct FreeName {
  NameKind kind = NameKind::project;
  std::int64_t holder_id = 0;
};
BOOST_DESCRIBE_STRUCT(FreeName, (), (kind, holder_id))

struct BorneName {
  std::int64_t scope = 0;
  std::string name;
};

// Who has the name now, and what the holder has pending.
struct NameCase {
  std::optional<std::int64_t> holder;             // of the wanted name, held or reserved
  std::optional<NameReserved> pending;            // of the holder that the command names
  std::optional<BorneName> borne = std::nullopt;  // by that holder
};

Result<Events> decide(const NameCase& on, const ReserveName& command, const Context& context,
                      std::int64_t next_id);
Result<Events> decide(const NameCase& on, const ConfirmName& command);
Result<Events> decide(const NameCase& on, const ReleaseName& command);
Result<Events> decide(const NameCase& on, const FreeName& command);

}  // namespace annolog
