// Joins the read models' rows and the workers' export writers for the API, which knows neither.
#pragma once

#include "api/services.hpp"
#include "domain/project/view.hpp"
#include "projections/queries/read_pool.hpp"
#include "workers/export/source.hpp"

namespace annolog::app {

api::OpenExport open_export_with(projections::ReadPool& reads, std::uint16_t shards);
workers::ExportProject exported_project(const ProjectView& view, const ClassList& classes,
                                        const std::optional<std::string>& batch_display_id);
Result<void> check_export(const api::ExportRequest& request, ProjectType type);
api::MeasureItemsOf measure_items_with(platform::ObjectStore& objects, platform::Logger& logger);
Result<api::ImageFacts> probe_image(platform::ByteSource& bytes, std::string_view content_type);

}  // namespace annolog::app
