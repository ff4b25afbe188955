// Images of a project's guide.
#include <boost/describe/class.hpp>

#include "api/await_removal.hpp"
#include "api/find_twice.hpp"
#include "api/routes/tables.hpp"
#include "api/uploads.hpp"
#include "api/views/schema_rules.hpp"
#include "domain/identity/refusals.hpp"
#include "domain/support/text.hpp"
#include "projections/projects/queries.hpp"

namespace annolog::api {

struct GuideUploadBody {
  std::string file_name;
  std::string content_type;
  std::int64_t size = 0;
};
BOOST_DESCRIBE_STRUCT(GuideUploadBody, (), (file_name, content_type, size))

struct GuideUploadReply {
  GuideAssetId asset_id;
  std::string upload_url;
  Timestamp expires_at;
};
BOOST_DESCRIBE_STRUCT(GuideUploadReply, (), (asset_id, upload_url, expires_at))

struct GuideAssetBody {
  GuideAssetId asset_id;
};
BOOST_DESCRIBE_STRUCT(GuideAssetBody, (), (asset_id))

struct GuideLinkReply {
  std::string url;
  Timestamp expires_at;
};
BOOST_DESCRIBE_STRUCT(GuideLinkReply, (), (url, expires_at))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::GuideUploadBody> {
  static constexpr std::string_view kName = "GuideUpload";
  static void apply(ObjectRules& rules) {
    rules.field("file_name").length(1, kMaxGuideFileNameLength);
    rules.field("content_type")
        .length(1, 200)
        .describe("image/png, image/jpeg, image/webp or image/gif.");
    rules.field("size")
        .range(1, static_cast<double>(kMaxGuideAssetBytes))
        .describe("Bytes; the upload must have exactly so many.");
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

using platform::ObjectKey;

Result<ObjectKey> key_of(ProjectId project, GuideAssetId asset, const std::string& content_type) {
  return ObjectKey::parse(guide_asset_key(project, asset, content_type));
}

// Of a project that the caller was seen to see.
awaitable<Result<GuideAsset>> guide_asset_of(Call& call, Services& services, ProjectId project,
                                             GuideAssetId id) {
  BOOST_OUTCOME_CO_TRY(
      co_await wait_for_reads(call, services, shard_of_id(services, project.value)));
  const auto find = [&] {
    return read(services, [&]() -> Result<std::optional<GuideAsset>> {
      return projections::ProjectQueries(services.reads).guide_asset(project, id);
    });
  };
  BOOST_OUTCOME_CO_TRY(auto found, co_await find_twice(services, project.value, find));
  if (!found) co_return not_found("guide asset");
  co_return std::move(*found);
}

awaitable<HandlerResult> asset_upload_init(Call& call, Services& services) {
  const auto& body = call.body<GuideUploadBody>();
  const auto project = call.id<ProjectId>("project_id");
  StartGuideAsset command{project, body.file_name, body.content_type, body.size};
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_command(call, services, std::move(command),
                                                       codec::to_json_text(body)));
  const auto& asset = done.get<GuideAssetView>();
  const Timestamp expires_at = call.now() + services.options.signed_url_ms;
  BOOST_OUTCOME_CO_TRY(auto key, key_of(project, asset.asset_id, asset.content_type));
  const platform::UrlGrant grant{.method = "PUT",
                                 .key = std::move(key),
                                 .expires_at = expires_at,
                                 .size_bytes = std::nullopt,
                                 .max_bytes = static_cast<std::uint64_t>(asset.size),
                                 .content_type = std::nullopt,
                                 .md5_hex = std::nullopt};
  const GuideUploadReply reply{
      asset.asset_id, base_url(call, services) + services.signed_urls.sign(grant), expires_at};
  co_return written(http::reply(201, reply), done);
}

DomainError wrong_asset(std::string message, std::string type) {
  return validation_error({{{"asset_id"}, std::move(message), std::move(type)}});
}

struct Inspected {
  platform::WrittenObject object;
  std::string content_type;
};

// Reads what the store holds: nothing the client says is taken for true.
Result<Inspected> inspect(Services& services, const ObjectKey& key, const GuideAsset& asset) {
  BOOST_OUTCOME_TRY(auto object, stored_facts(services.objects, key));
  BOOST_OUTCOME_TRY(auto reader, services.objects.open_read(key));
  auto image = services.probe_image(*reader, asset.content_type);
  if (!image) return wrong_asset(image.error().message, lower_ascii(image.error().code));
  return Inspected{std::move(object), std::move(image).value().content_type};
}

// Seals the bytes before they are judged, so that what was checked is what stays, and opens them
// again when they are not good (docs/decisions, 0010).
Result<Inspected> seal_and_inspect(Services& services, const ObjectKey& key,
                                   const GuideAsset& asset) {
  auto sealed = services.objects.set_sealed(key, true);
  if (!sealed && sealed.error().code == "NOT_FOUND") {
    return wrong_asset("Nothing was uploaded for this image yet.", "object_missing");
  }
  BOOST_OUTCOME_TRY(std::move(sealed));
  auto seen = inspect(services, key, asset);
  if (!seen) {
    BOOST_OUTCOME_TRY(services.objects.set_sealed(key, false));
  }
  return seen;
}

awaitable<HandlerResult> upload_complete(Call& call, Services& services) {
  const auto& body = call.body<GuideAssetBody>();
  const auto project = call.id<ProjectId>("project_id");
  BOOST_OUTCOME_CO_TRY(auto asset, co_await guide_asset_of(call, services, project, body.asset_id));
  BOOST_OUTCOME_CO_TRY(const auto key, key_of(project, body.asset_id, asset.content_type));
  const bool pending = asset.status == GuideAssetStatus::pending;
  CompleteGuideAsset command{project, body.asset_id, asset.size, "", asset.content_type};
  if (pending) {
    BOOST_OUTCOME_CO_TRY(auto seen, co_await http::blocking(services.file_threads, [&] {
                           return seal_and_inspect(services, key, asset);
                         }));
    command.stored_size = static_cast<std::int64_t>(seen.object.size_bytes);
    command.stored_md5 = seen.object.md5_hex;
    command.stored_type = std::move(seen.content_type);
  }
  auto done = co_await run_command(call, services, std::move(command), codec::to_json_text(body));
  if (!done) {
    // Other refusals say nothing of the bytes.
    if (pending && done.error().code == "VALIDATION_ERROR") {
      BOOST_OUTCOME_CO_TRY(co_await http::blocking(
          services.file_threads, [&] { return services.objects.set_sealed(key, false); }));
    }
    co_return std::move(done).error();
  }
  co_return written(http::reply(200, done.value().get<GuideAssetView>()), done.value());
}

awaitable<HandlerResult> delete_asset(Call& call, Services& services) {
  const auto& body = call.body<GuideAssetBody>();
  const auto project = call.id<ProjectId>("project_id");
  const DeleteGuideAsset command{project, body.asset_id};
  BOOST_OUTCOME_CO_TRY(auto done,
                       co_await run_command(call, services, command, codec::to_json_text(body)));
  co_await await_removal(call, services, {project, body.asset_id});
  co_return written(http::no_content(), done);
}

awaitable<HandlerResult> sign_url(Call& call, Services& services) {
  const auto id = call.body<GuideAssetBody>().asset_id;
  const auto project = call.id<ProjectId>("project_id");
  BOOST_OUTCOME_CO_TRY(auto asset, co_await guide_asset_of(call, services, project, id));
  if (asset.status != GuideAssetStatus::ready) co_return not_found("guide asset");
  auto link = download_link(call, services, guide_asset_key(project, id, asset.content_type));
  co_return http::reply(200, GuideLinkReply{std::move(link.url), link.expires_at});
}

}  // namespace

http::RouteTable guide_asset_routes(Services& services) {
  using http::Access;
  using http::Scope;
  const auto changes = Access::needs(Action::administer, Scope::project);
  return {
      {.method = http::Method::post,
       .path = "/api/v1/projects/{project_id}/guide-assets/upload-init",
       .operation_id = "initGuideUpload",
       .summary = "Announces an image for the guide and gives the signed URL to PUT it to",
       .tag = "guide assets",
       .access = changes,
       .action = "guide_asset.start_upload",
       .target = "guide_asset",
       .body = http::Body::json<GuideUploadBody>(),
       .reply = http::replies<GuideUploadReply>(201),
       .handler = [&services](Call& call) { return asset_upload_init(call, services); }},
      {.method = http::Method::post,
       .path = "/api/v1/projects/{project_id}/guide-assets/upload-complete",
       .operation_id = "completeGuideUpload",
       .summary = "Checks the uploaded bytes; the image is part of the guide",
       .tag = "guide assets",
       .access = changes,
       .action = "guide_asset.complete_upload",
       .target = "guide_asset",
       .body = http::Body::json<GuideAssetBody>(),
       .reply = http::replies<GuideAssetView>(200),
       .handler = [&services](Call& call) { return upload_complete(call, services); }},
      {.method = http::Method::post,
       .path = "/api/v1/projects/{project_id}/guide-assets/delete",
       .operation_id = "deleteGuideAsset",
       .summary = "Takes an image out of the guide and removes its bytes",
       .tag = "guide assets",
       .access = changes,
       .action = "guide_asset.delete",
       .target = "guide_asset",
       .body = http::Body::json<GuideAssetBody>(),
       .reply = http::replies_nothing(),
       .handler = [&services](Call& call) { return delete_asset(call, services); }},
      {.method = http::Method::post,
       .path = "/api/v1/projects/{project_id}/guide-assets/sign-url",
       .operation_id = "signGuideAsset",
       .summary = "A signed URL of an image of the guide",
       .tag = "guide assets",
       .access = Access::needs(Action::read_project, Scope::project),
       .action = "guide_asset.sign_url",
       .target = "guide_asset",
       .body = http::Body::json<GuideAssetBody>(),
       .reply = http::replies<GuideLinkReply>(200),
       .handler = [&services](Call& call) { return sign_url(call, services); }},
  };
}

}  // namespace annolog::api
