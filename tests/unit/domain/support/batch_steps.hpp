// The steps of a batch, typed from the law by hand (spec, "States and transitions", Batch;
// decisions, sections 2 and 4): what the product's table is compared with.
#pragma once

#include <array>
#include <string_view>

#include "domain/batch/status.hpp"

namespace annolog::testing {

inline constexpr std::array kAll{
    BatchStatus::draft,    BatchStatus::active,   BatchStatus::annotating, BatchStatus::reviewing,
    BatchStatus::approved, BatchStatus::rejected, BatchStatus::archived};

// Rows: from; columns: to, in the order of kAll. '.' no such step, A project_admin and owner,
// N those and the batch's annotator, R those and the batch's reviewer, O owner only.
inline constexpr std::array<std::string_view, 7> kSteps{
    ".A....O",  // draft
    "..A...O",  // active
    "...N..O",  // annotating
    "....RRO",  // reviewing
    "...O..O",  // approved
    ".A.O..O",  // rejected
    ".O.....",  // archived
};

}  // namespace annolog::testing
