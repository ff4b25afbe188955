// Rows of the audit made ready to be shown: names, e-mail addresses and origins are looked up now,
// so that they are gone once the person is erased. Opening what is sealed may read a file: on the
// read threads.
#pragma once

#include <cstdint>
#include <vector>

#include "api/directory.hpp"
#include "api/opened_origins.hpp"
#include "api/views/audit.hpp"
#include "projections/audit/queries.hpp"

namespace annolog::api {

// `names`: the directory's number before the rows were read.
std::vector<AuditLogView> audit_views(const Directory& directory, OpenedOrigins& origins,
                                      std::uint64_t names, std::vector<projections::AuditRow> rows);

}  // namespace annolog::api
