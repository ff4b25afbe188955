// Items of a dataset: uploads, bulk registration, lists.
#include <boost/describe/class.hpp>

#include "api/pages.hpp"
#include "api/places.hpp"
#include "api/routes/tables.hpp"
#include "api/uploads.hpp"
#include "api/visibility.hpp"
#include "domain/dataset/objects.hpp"
#include "domain/support/media_types.hpp"
#include "domain/support/text.hpp"
#include "projections/datasets/queries.hpp"

namespace annolog::api {

// Its object's key, with the folders of dataset and item before it, then has a place in the store.
inline constexpr std::size_t kFileNameBytesMax = 900;

struct UploadInitBody {
  std::string file_name;
  std::int64_t file_size = 0;
  std::string content_type;
  std::optional<std::string> content_hash;
};
BOOST_DESCRIBE_STRUCT(UploadInitBody, (), (file_name, file_size, content_type, content_hash))

struct UploadInitReply {
  ItemId item_id;
  std::string upload_url;
  std::string method = "PUT";
  std::map<std::string, std::string> headers;
  Timestamp expires_at;
};
BOOST_DESCRIBE_STRUCT(UploadInitReply, (), (item_id, upload_url, method, headers, expires_at))

struct BulkItemBody {
  std::string file_name;
  std::string file_path;
  std::optional<std::int64_t> file_size;
  std::optional<std::string> content_hash;
  std::optional<std::int64_t> width, height;
  std::optional<JsonText> metadata;
};
BOOST_DESCRIBE_STRUCT(BulkItemBody, (),
                      (file_name, file_path, file_size, content_hash, width, height, metadata))

struct BulkItemsBody {
  std::vector<BulkItemBody> items;
};
BOOST_DESCRIBE_STRUCT(BulkItemsBody, (), (items))

struct BulkError {
  std::int64_t index = 0;
  std::string code;
  std::string message;
};
BOOST_DESCRIBE_STRUCT(BulkError, (), (index, code, message))

struct BulkItemsReply {
  std::int64_t created = 0;
  std::vector<BulkDuplicate> duplicates;
  std::vector<BulkError> errors;
};
BOOST_DESCRIBE_STRUCT(BulkItemsReply, (), (created, duplicates, errors))

struct ItemListQuery {
  std::optional<ItemStatus> status;
  std::int64_t limit = kDefaultLimit;
  std::optional<std::string> cursor;
};
BOOST_DESCRIBE_STRUCT(ItemListQuery, (), (status, limit, cursor))

struct ItemPage {
  std::vector<ItemView> items;
  std::optional<std::string> next_cursor;
};
BOOST_DESCRIBE_STRUCT(ItemPage, (), (items, next_cursor))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::UploadInitBody> {
  static constexpr std::string_view kName = "UploadInit";
  static void apply(ObjectRules& rules) {
    rules.field("file_name")
        .length(1, api::kFileNameBytesMax)
        .describe("May hold folders; kept in exports. At most 900 bytes of UTF-8.");
    rules.field("file_size").describe("Bytes: of an image up to 100 MiB, of a video up to 20 GiB.");
    rules.field("content_type")
        .length(3, 200)
        .pattern("[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+( ?;[ -~]*)?",
                 "must be a media type, such as image/png")
        .describe("A media type (RFC 6838), such as image/png.");
    rules.field("content_hash").length(32, 32).describe("MD5 in hexadecimal.");
  }
};
template <>
struct SchemaRules<api::BulkItemsBody> {
  static constexpr std::string_view kName = "BulkItems";
  static void apply(ObjectRules& rules) { rules.field("items").items(1, kMaxBulkItems); }
};
template <>
struct SchemaRules<api::BulkItemBody> {
  static constexpr std::string_view kName = "BulkItem";
  static void apply(ObjectRules& rules) {
    // Ranges are checked row by row (good_items): one bad row does not refuse the others.
    rules.field("file_size").describe("From 0 to the largest size of a video file.");
    for (const char* side : {"width", "height"}) rules.field(side).describe("From 1 to 1,000,000.");
    rules.field("metadata").describe("An object; at most 64 KiB of JSON.");
  }
};
template <>
struct SchemaRules<api::ItemListQuery> {
  static void apply(ObjectRules& rules) { api::limit_rule(rules); }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

using platform::ObjectKey;

// A file name is a relative path of its own; it becomes the end of the object's key. All that can
// be said against that key is said here, before the item is made.
Result<void> check_file_name(const std::string& name) {
  if (name.size() > kFileNameBytesMax) {
    return validation_error({{{"file_name"},
                              "Must have at most " + std::to_string(kFileNameBytesMax) +
                                  " bytes of UTF-8; it has " + std::to_string(name.size()) + ".",
                              "length"}});
  }
  auto key = ObjectKey::parse(name);
  if (key) return success();
  return validation_error({{{"file_name"}, key.error().message, "invalid_path"}});
}

awaitable<HandlerResult> upload_init(Call& call, Services& services) {
  const auto& body = call.body<UploadInitBody>();
  const auto dataset = call.id<DatasetId>("dataset_id");
  BOOST_OUTCOME_CO_TRY(co_await own_dataset(call, services, dataset));
  BOOST_OUTCOME_CO_TRY(check_file_name(body.file_name));
  StartUpload command{dataset, body.file_name, body.content_type, body.file_size,
                      body.content_hash};
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_command(call, services, std::move(command),
                                                       codec::to_json_text(body)));
  const auto& item = done.get<ItemView>();
  const Timestamp expires_at = call.now() + services.options.signed_url_ms;
  BOOST_OUTCOME_CO_TRY(auto key, ObjectKey::parse(item.file_path));
  const platform::UrlGrant grant{.method = "PUT",
                                 .key = std::move(key),
                                 .expires_at = expires_at,
                                 .size_bytes = std::nullopt,
                                 .max_bytes = static_cast<std::uint64_t>(item.file_size),
                                 .content_type = std::nullopt,
                                 .md5_hex = std::nullopt};
  const UploadInitReply reply{item.id,
                              base_url(call, services) + services.signed_urls.sign(grant),
                              "PUT",
                              {{"Content-Type", body.content_type}},
                              expires_at};
  co_return written(http::reply(201, reply), done);
}

// One check of an item at a time: a second one would read the same bytes, and open them again while
// the first still judges them. It is not made to wait, which could be minutes, but told when to ask
// again, as clients do by themselves after a 503. (Of one node: others only read twice.)
DomainError check_under_way() {
  return {DomainError::Kind::unavailable,
          "UPLOAD_CHECK_UNDER_WAY",
          "An earlier call is still checking this upload; ask again soon.",
          {},
          {},
          5};
}

constexpr std::size_t kChecksAtOnce = 256;

awaitable<HandlerResult> upload_complete(Call& call, Services& services, Places& checks) {
  const auto dataset_id = call.id<DatasetId>("dataset_id");
  const auto item_id = call.id<ItemId>("item_id");
  BOOST_OUTCOME_CO_TRY(auto dataset, co_await own_dataset(call, services, dataset_id));
  BOOST_OUTCOME_CO_TRY(auto item, co_await item_of(services, dataset_id, item_id));
  CompleteUpload command{dataset_id, item_id, item.file_size, "", std::nullopt, std::nullopt};
  Places::Place place;
  if (item.status == ItemStatus::pending) {
    BOOST_OUTCOME_CO_TRY(place, checks.take(item_id.value));
    BOOST_OUTCOME_CO_TRY(auto seen, co_await seal_and_inspect(services, item, dataset.data_type));
    command.stored_size = static_cast<std::int64_t>(seen.object.size_bytes);
    command.stored_md5 = seen.object.md5_hex;
    if (seen.image) {
      command.width = seen.image->width;
      command.height = seen.image->height;
    }
  }
  auto done = co_await run_command(call, services, std::move(command));
  if (!done) {
    const auto kind = done.error().kind;  // other refusals say nothing of the bytes
    const bool bad = kind == DomainError::Kind::invalid || kind == DomainError::Kind::conflict;
    if (bad && item.status == ItemStatus::pending) {
      BOOST_OUTCOME_CO_TRY(co_await open_again(services, item));
    }
    co_return std::move(done).error();
  }
  auto& view = done.value().get<ItemView>();
  view.file_url = download_url(call, services, view.file_path);
  if (view.thumbnail_path) view.thumbnail_url = download_url(call, services, *view.thumbnail_path);
  co_return written(http::reply(200, view), done.value());
}

// What the service itself keeps lies in folders of these names (domain/dataset/objects.hpp,
// domain/project/guide.cpp): whoever may not see a dataset or a project gets no link to its files
// by registering them elsewhere. What the store keeps for itself (platform/objects/file_store.hpp)
// it would not give out. Null: nothing is wrong.
const char* why_unreadable(const std::string& path, DatasetId dataset) {
  if (path.starts_with(objects_of(dataset) + "/")) return nullptr;
  const std::string_view folder = std::string_view(path).substr(0, path.find('/'));
  if (folder == "datasets" || folder == "projects")
    return "The folders datasets and projects hold what was uploaded to others.";
  if (folder == "audit") return "The folder audit holds archives of the audit log.";
  if (folder == ".partial") return "The folder .partial is the object store's own.";
  return nullptr;
}

// What is wrong with the numbers or the metadata of a row; empty: nothing.
BulkError wrong_value(const BulkItemBody& entry) {
  constexpr std::int64_t kMaxSide = 1'000'000;
  const auto outside = [](const std::optional<std::int64_t>& value, std::int64_t least,
                          std::int64_t most) { return value && (*value < least || *value > most); };
  if (outside(entry.file_size, 0, static_cast<std::int64_t>(kMaxVideoBytes))) {
    return {0, "INVALID_FILE_SIZE",
            "file_size must be from 0 to " + std::to_string(kMaxVideoBytes) + "."};
  }
  if (outside(entry.width, 1, kMaxSide)) {
    return {0, "INVALID_WIDTH", "width must be from 1 to 1000000."};
  }
  if (outside(entry.height, 1, kMaxSide)) {
    return {0, "INVALID_HEIGHT", "height must be from 1 to 1000000."};
  }
  constexpr std::size_t kMaxMetadataBytes = 64 * 1024;  // pages of 200 items are made in memory
  const std::string_view metadata = entry.metadata ? std::string_view(entry.metadata->text) : "{}";
  if (metadata.size() > kMaxMetadataBytes || !metadata.starts_with('{')) {
    return {0, "INVALID_METADATA", "metadata is a JSON object of at most 64 KiB."};
  }
  return {};
}

// What can't become an item is named by its index; the rest goes on.
std::vector<BulkItem> good_items(DatasetId dataset, const BulkItemsBody& body,
                                 std::vector<BulkError>& errors) {
  std::vector<BulkItem> items;
  for (std::size_t i = 0; i < body.items.size(); ++i) {
    const auto& entry = body.items[i];
    const auto index = static_cast<std::int64_t>(i);
    const auto refuse = [&](const char* code, std::string message) {
      errors.push_back({index, code, std::move(message)});
    };
    if (auto key = ObjectKey::parse(entry.file_path); !key) {
      refuse("INVALID_FILE_PATH", key.error().message);
      continue;
    }
    if (const char* why = why_unreadable(entry.file_path, dataset)) {
      refuse("INVALID_FILE_PATH", why);
      continue;
    }
    if (auto name = ObjectKey::parse(entry.file_name); !name) {
      refuse("INVALID_FILE_NAME", name.error().message);
      continue;
    }
    if (auto wrong = wrong_value(entry); !wrong.code.empty()) {
      refuse(wrong.code.c_str(), std::move(wrong.message));
      continue;
    }
    std::optional<std::string> hash;
    if (entry.content_hash) {
      hash = lower_ascii(*entry.content_hash);
      if (!is_md5(*hash)) {
        refuse("INVALID_CONTENT_HASH", "content_hash is an MD5 in 32 hexadecimal digits.");
        continue;
      }
    }
    items.push_back({index, entry.file_name, entry.file_path,
                     std::string(media_type_of_name(entry.file_name)), entry.file_size.value_or(0),
                     std::move(hash), entry.width, entry.height,
                     entry.metadata.value_or(JsonText{"{}"})});
  }
  return items;
}

awaitable<HandlerResult> register_items(Call& call, Services& services) {
  const auto& body = call.body<BulkItemsBody>();
  const auto dataset = call.id<DatasetId>("dataset_id");
  BOOST_OUTCOME_CO_TRY(co_await own_dataset(call, services, dataset));
  BulkItemsReply reply;
  RegisterItems command{dataset, good_items(dataset, body, reply.errors)};
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_command(call, services, std::move(command),
                                                       codec::to_json_text(body)));
  auto& registered = done.get<commands::ItemsRegisteredReply>();
  reply.created = registered.created;
  reply.duplicates = std::move(registered.duplicates);
  co_return written(http::reply(200, reply), done);
}

// Signing is a hash of some hundred bytes: two a row cost less than the row's JSON.
void add_links(const Call& call, const Services& services, ItemView& item) {
  item.file_url = download_url(call, services, item.file_path);
  if (item.thumbnail_path) item.thumbnail_url = download_url(call, services, *item.thumbnail_path);
}

awaitable<HandlerResult> list_items(Call& call, Services& services) {
  const auto& query = call.query<ItemListQuery>();
  const auto dataset = call.id<DatasetId>("dataset_id");
  BOOST_OUTCOME_CO_TRY(auto after, cursor_id(call, services, query.cursor));
  BOOST_OUTCOME_CO_TRY(co_await visible_dataset(call, services, dataset));
  BOOST_OUTCOME_CO_TRY(auto page, co_await read(services, [&] {
                         return projections::DatasetQueries(services.reads)
                             .items(dataset, query.status,
                                    after ? std::optional(ItemId{*after}) : std::nullopt,
                                    query.limit);
                       }));
  for (ItemView& item : page.items) add_links(call, services, item);
  co_return http::reply_json_text(200,
                                  page_json(page.items, next_cursor(call, services, page.next)));
}

// An item has no version, so there is no ETag either.
awaitable<HandlerResult> get_item(Call& call, Services& services) {
  const auto dataset = call.id<DatasetId>("dataset_id");
  BOOST_OUTCOME_CO_TRY(co_await visible_dataset(call, services, dataset));
  BOOST_OUTCOME_CO_TRY(auto item, co_await item_of(services, dataset, call.id<ItemId>("item_id")));
  add_links(call, services, item);
  co_return http::reply(200, item);
}

}  // namespace

http::RouteTable item_routes(Services& services) {
  using http::Access;
  using http::Scope;
  const auto access = Access::needs(Action::use_account, Scope::dataset);
  constexpr std::uint64_t kBulkBodyBytes = 32ULL << 20U;
  const auto checks =
      std::make_shared<Places>(Places::Limits{.all = kChecksAtOnce, .each = 1}, check_under_way());
  return {
      {.method = http::Method::get,
       .path = "/api/v1/datasets/{dataset_id}/items",
       .operation_id = "listItems",
       .summary = "Items in order of id, with signed URLs of their files and thumbnails",
       .tag = "items",
       .access = access,
       .query = http::query_of<ItemListQuery>(),
       .reply = http::replies<ItemPage>(200),
       .handler = [&services](Call& call) { return list_items(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/datasets/{dataset_id}/items/{item_id}",
       .operation_id = "getItem",
       .summary = "One item, with a signed URL of its file",
       .tag = "items",
       .access = access,
       .reply = http::replies<ItemView>(200),
       .handler = [&services](Call& call) { return get_item(call, services); }},
      {.method = http::Method::post,
       .path = "/api/v1/datasets/{dataset_id}/items/upload-init",
       .operation_id = "initUpload",
       .summary = "Announces an upload and gives the signed URL to PUT it to",
       .tag = "items",
       .access = access,
       .action = "item.start_upload",
       .target = "item",
       .body = http::Body::json<UploadInitBody>(),
       .reply = http::replies<UploadInitReply>(201),
       .handler = [&services](Call& call) { return upload_init(call, services); }},
      {.method = http::Method::post,
       .path = "/api/v1/datasets/{dataset_id}/items/upload-complete/{item_id}",
       .operation_id = "completeUpload",
       .summary = "Checks the uploaded bytes; the item is ready, and a task in linked projects",
       .tag = "items",
       .access = access,
       .action = "item.complete_upload",
       .target = "item",
       .reply = http::replies<ItemView>(200),
       .handler = [&services,
                   checks](Call& call) { return upload_complete(call, services, *checks); }},
      {.method = http::Method::post,
       .path = "/api/v1/datasets/{dataset_id}/items/bulk",
       .operation_id = "registerItems",
       .summary = "Registers up to 10,000 items that lie in the object store",
       .tag = "items",
       .access = access,
       .action = "item.bulk_register",
       .body = http::Body::json<BulkItemsBody>(kBulkBodyBytes),
       .reply = http::replies<BulkItemsReply>(200),
       .description = "Whether they lie there is not looked at: else their file_url is 404.",
       .handler = [&services](Call& call) { return register_items(call, services); }},
  };
}

}  // namespace annolog::api
