// Rows of the audit as the JSON of an AuditLogView (views/audit.hpp), put together from the texts
// of their records: what is shown as it is kept is not taken apart. Names, e-mail addresses and
// origins are looked up now, so that they are gone once the person is erased. For one page; one
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "api/directory.hpp"
#include "api/opened_origins.hpp"
#include "projections/audit/queries.hpp"

namespace annolog::api {

class AuditTexts {
 public:
  // `names`: the directory's number before the rows were read.
  AuditTexts(const Directory& directory, OpenedOrigins& origins, std::uint64_t names)
      : directory_(directory), origins_(origins), names_(names) {}

  // Whether what is sealed may be opened, which may read a file: on the read threads only.
  enum class Opening : std::uint8_t { allowed, never };
  // False, and nothing appended: an origin would have to be opened, and never may.
  bool append(const projections::AuditRow& row, Opening opening, std::string& out);

 private:
  const KnownUser* find(UserId id);

  const Directory& directory_;
  OpenedOrigins& origins_;
  const std::uint64_t names_;
  std::map<UserId, std::optional<KnownUser>> known_;  // asked for once for a page
};

}  // namespace annolog::api
