// Joins the read models' tasks and the workers' readers of documents for the API, which knows
// neither.
#pragma once

#include <atomic>
#include <filesystem>

#include "api/services.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::app {

api::ImportDocument import_document_with(projections::ReadPool& reads,
                                         const std::atomic<bool>& stopping);

// Empty: what a crash left there is removed.
std::filesystem::path fresh_import_folder(const std::filesystem::path& data_folder);

}  // namespace annolog::app
