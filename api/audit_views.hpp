// Rows of the audit made ready to be shown: names, e-mail addresses and origins are read now, so
// that they are gone once the person is erased. Blocking: on the read threads.
#pragma once

#include <vector>

#include "api/services.hpp"
#include "api/views/audit.hpp"
#include "projections/audit/queries.hpp"

namespace annolog::api {

std::vector<AuditLogView> audit_views(const Services& services,
                                      const std::vector<projections::AuditRow>& rows);

}  // namespace annolog::api
