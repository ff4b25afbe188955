// The rows of the images of guides. In order with the project's other rows, whose version they
// raise.
#include "domain/project/guide.hpp"
#include "projections/pg/words.hpp"
#include "projections/projects/projection.hpp"

namespace annolog::projections {
namespace {

constexpr Statement kInsertAsset{"guide_assets_insert", R"sql(
INSERT INTO guide_assets (project_id, id, file_name, content_type, size, status, created_at_ms)
VALUES ($1::bigint, $2::bigint, $3::text, $4::text, $5::bigint, $6::text, $7::bigint)
)sql"};

constexpr Statement kReady{"guide_assets_ready", R"sql(
UPDATE guide_assets SET status = $3::text WHERE project_id = $1::bigint AND id = $2::bigint
)sql"};

// A pending image was shown nowhere, so the project stays as it was.
constexpr Statement kDeleteAsset{"guide_assets_delete", R"sql(
WITH gone AS (
  DELETE FROM guide_assets WHERE project_id = $1::bigint AND id = $2::bigint RETURNING status)
UPDATE projects SET version = version + 1, updated_at_ms = $3::bigint
WHERE id = $1::bigint AND (SELECT status FROM gone) = $4::text
)sql"};

Params params_of(ProjectId project, GuideAssetId asset) {
  return std::move(Params().add(project.value).add(asset.value));
}

}  // namespace

void ProjectRows::apply(const GuideAssetUploadStarted& event, const Happened& how) {
  Params params = params_of(event.project_id, event.asset_id);
  params.add(event.file_name).add(event.content_type).add(event.size);
  params.add(word_of(GuideAssetStatus::pending)).add(how.at.ms);
  queue_.add(kInsertAsset, std::move(params));
}

void ProjectRows::apply(const GuideAssetReady& event, const Happened& how) {
  Params params = params_of(event.project_id, event.asset_id);
  params.add(word_of(GuideAssetStatus::ready));
  queue_.add(kReady, std::move(params));
  touch(event.project_id, how);
}

void ProjectRows::apply(const GuideAssetDeleted& event, const Happened& how) {
  Params params = params_of(event.project_id, event.asset_id);
  params.add(how.at.ms).add(word_of(GuideAssetStatus::ready));
  queue_.add(kDeleteAsset, std::move(params));
}

}  // namespace annolog::projections
