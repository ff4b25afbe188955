// Joins the read models' rows and the workers' export writers for the API, which knows neither.
#pragma once

#include "api/services.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::app {

api::OpenExport open_export_with(projections::ReadPool& reads, std::uint16_t shards);
Result<void> check_export(const api::ExportRequest& request, ProjectType type);
Result<api::ImageFacts> probe_image(platform::ByteSource& bytes, std::string_view content_type);

}  // namespace annolog::app
