// The statements of the audit's list: one for each set of filters, so that each gets the index it
// needs; those of several filters are planned for their values. Made once; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "projections/audit/queries.hpp"
#include "projections/pg/connection.hpp"

namespace annolog::projections {

#define AUDIT_COLUMNS "a.id, a.at_ms, a.schema_version, a.data"

// Whole rows, or only the id of each.
enum class AuditPageKind : std::uint8_t { rows, keys };

// Parameters: the end and the start of time, where the page starts (time, id), limit + 1; then a
// value for each filter that is set.
const Statement& audit_page_statement(AuditPageKind kind, const AuditScope& scope);
Params audit_page_params(const AuditScope& scope, const std::optional<TimeCursor>& after,
                         std::int64_t rows);

std::vector<Statement> audit_page_statements();

}  // namespace annolog::projections
