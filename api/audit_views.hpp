// Rows of the audit made ready to be shown: names, e-mail addresses and origins are looked up now,
// so that they are gone once the person is erased. Opening what is sealed may read a file: on the
// read threads.
#pragma once

#include <vector>

#include "api/services.hpp"
#include "api/views/audit.hpp"
#include "projections/audit/queries.hpp"

namespace annolog::api {

std::vector<AuditLogView> audit_views(const Services& services,
                                      std::vector<projections::AuditRow> rows);

}  // namespace annolog::api
