#include "app/import_job.hpp"

#include <utility>

#include "api/read_refusals.hpp"
#include "app/export_job.hpp"
#include "projections/exports/export_rows.hpp"
#include "workers/import/import.hpp"

namespace annolog::app {
namespace {

workers::ImportFormat format_of(const std::string& name) {
  if (name == "coco") return workers::ImportFormat::coco;
  if (name == "yolo") return workers::ImportFormat::yolo;
  if (name == "voc") return workers::ImportFormat::voc;
  return workers::ImportFormat::native_json;
}

workers::ImportPlan plan_of(const api::ImportRequest& request, const ProjectView& project,
                            const ClassList& classes) {
  return {.project_id = request.project_id,
          .format = format_of(request.format),
          .shapes = request.prefer_polygons ? workers::ImportedShapes::polygons
                                            : workers::ImportedShapes::boxes,
          .dry_run = request.dry_run,
          .project = exported_project(project, classes, std::nullopt),
          .attribute_schema = project.attribute_schema};
}

struct Prepared {
  workers::TaskIndex tasks;
  workers::ImportPlan plan;
};

// From one snapshot, which is let go before the document is read.
Result<Prepared> prepare(projections::ReadPool& reads, const api::ImportRequest& request) {
  projections::ExportRows rows(reads, {.project_id = request.project_id});
  if (!rows.project()) return not_found("project");
  Prepared made{.tasks = {}, .plan = plan_of(request, *rows.project(), rows.classes())};
  rows.rewind(false);
  projections::ExportTaskRow row;
  while (rows.next_task(row)) {
    made.tasks.add(row.id, row.number, {row.file_name, row.file_path}, row.image_width,
                   row.image_height);
  }
  made.tasks.ready();
  return made;
}

api::ImportedDocument told(workers::ImportReport report, bool dry_run) {
  api::ImportedDocument told{.imported = report.imported,
                             .skipped = report.skipped,
                             .unmatched = report.unmatched,
                             .error_count = report.error_count,
                             .errors_by_code = std::move(report.errors_by_code),
                             .errors = {},
                             .dry_run = dry_run};
  for (auto& one : report.errors) {
    told.errors.push_back({std::move(one.place), std::move(one.code), std::move(one.message)});
  }
  return told;
}

}  // namespace

api::ImportDocument import_document_with(projections::ReadPool& reads,
                                         const std::atomic<bool>& stopping) {
  return [&reads, &stopping](const api::ImportRequest& request,
                             const api::SendImport& send) -> Result<api::ImportedDocument> {
    try {
      BOOST_OUTCOME_TRY(const auto made, prepare(reads, request));
      BOOST_OUTCOME_TRY(auto report,
                        workers::import_annotations(
                            request.document, made.tasks, made.plan,
                            {.scratch = request.folder, .send = send, .stopping = [&stopping] {
                               return stopping.load();
                             }}));
      return told(std::move(report), request.dry_run);
    } catch (const projections::ReadUnavailable&) {
      return api::reads_away();
    }
  };
}

std::filesystem::path fresh_import_folder(const std::filesystem::path& data_folder) {
  auto folder = data_folder / "imports";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all,
                               std::filesystem::perm_options::replace);
  return folder;
}

}  // namespace annolog::app
