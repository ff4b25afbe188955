// The object store over signed URLs: whoever holds one may do what it says, until it expires.
#include <boost/describe/class.hpp>

#include "api/routes/tables.hpp"
#include "api/uploads.hpp"
#include "api/work.hpp"
#include "domain/dataset/objects.hpp"
#include "domain/support/media_types.hpp"

namespace annolog::api {

struct StoredReply {
  std::int64_t file_size = 0;
  std::string content_hash;  // MD5
};
BOOST_DESCRIBE_STRUCT(StoredReply, (), (file_size, content_hash))

namespace {

constexpr std::size_t kFirstPieceBytes = 16 * 1024;  // all that a slow sender ever holds
constexpr std::size_t kPieceBytes = 256 * 1024;

// Only types that a browser shows without running anything; all else is a download.
std::string media_type_of(const platform::ObjectKey& key) {
  const auto type = media_type_of_name(key.text());
  return std::string(type.empty() ? "application/octet-stream" : type);
}

class StoredBytes final : public http::ByteSource {
 public:
  StoredBytes(std::unique_ptr<platform::ObjectReader> reader, platform::ThreadPool& threads)
      : reader_(std::move(reader)), threads_(threads) {}

  std::uint64_t size() const override { return reader_->info().size_bytes; }
  awaitable<std::size_t> read_at(std::uint64_t offset, std::span<char> buffer) override {
    auto n = co_await http::blocking(
        threads_, [&] { return reader_->read_at(offset, std::as_writable_bytes(buffer)); });
    if (!n) throw http::Unavailable("the file threads are busy");
    co_return n.value();
  }

 private:
  std::unique_ptr<platform::ObjectReader> reader_;
  platform::ThreadPool& threads_;
};

awaitable<Result<platform::WrittenObject>> receive(Call& call, Services& services,
                                                   const platform::UrlGrant& grant) {
  platform::WriteLimits limits;
  if (grant.max_bytes) limits.max_bytes = *grant.max_bytes;
  const auto declared = call.body_reader().declared_length();
  if (declared && *declared > limits.max_bytes) {
    co_return DomainError{DomainError::Kind::too_large,
                          "OBJECT_TOO_LARGE",
                          "At most " + std::to_string(limits.max_bytes) + " bytes.",
                          {},
                          {},
                          0};
  }
  auto& files = services.file_threads;
  BOOST_OUTCOME_CO_TRY(auto writer, co_await http::blocking(files, [&] {
                         return services.objects.begin_write(grant.key, limits);
                       }));
  std::vector<char> piece(kFirstPieceBytes);
  for (;;) {
    BOOST_OUTCOME_CO_TRY(const auto n, co_await call.body_reader().read_some(piece));
    if (n == 0) break;
    BOOST_OUTCOME_CO_TRY(co_await http::blocking(
        files, [&] { return writer->write(std::as_bytes(std::span(piece.data(), n))); }));
    if (n == piece.size() && n < kPieceBytes) piece.resize(n * 4);
  }
  co_return co_await http::blocking(files, [&]() -> Result<platform::WrittenObject> {
    auto object = writer->commit();
    if (object || object.error().code != "OBJECT_SEALED") return object;
    // A retry that sends the same bytes once more finds them there.
    BOOST_OUTCOME_TRY(auto there, stored_facts(services.objects, grant.key));
    const auto sent = writer->written();
    if (there.size_bytes == sent.size_bytes && there.md5_hex == sent.md5_hex) return there;
    return object;
  });
}

// Whoever deletes an item, or its dataset, removes its files once. Bytes that were on their way
// then, or that a URL of before brings, came after that and would stay for ever. One that is
// deleted behind this look has its files still before it.
awaitable<Result<void>> remove_if_orphaned(Call& call, Services& services,
                                           const platform::ObjectKey& key) {
  const auto owner = owner_of_upload(key.text());
  if (!owner) co_return success();
  auto seen = co_await look(call, services, commands::ReadItem{owner->dataset_id, owner->item_id});
  if (seen) co_return success();
  if (seen.error().kind == DomainError::Kind::not_found) {
    BOOST_OUTCOME_CO_TRY(co_await http::blocking(services.file_threads, [&]() -> Result<void> {
      BOOST_OUTCOME_TRY(auto folder,
                        platform::ObjectKey::parse(objects_of(owner->dataset_id, owner->item_id)));
      BOOST_OUTCOME_TRY(services.objects.remove_all(folder, [] { return false; }));
      return success();
    }));
  }
  co_return std::move(seen).error();
}

awaitable<HandlerResult> put_object(Call& call, Services& services) {
  BOOST_OUTCOME_CO_TRY(auto grant,
                       services.signed_urls.verify("PUT", call.head().target, call.now()));
  BOOST_OUTCOME_CO_TRY(auto object, co_await receive(call, services, grant));
  BOOST_OUTCOME_CO_TRY(co_await remove_if_orphaned(call, services, grant.key));
  co_return http::reply(200,
                        StoredReply{static_cast<std::int64_t>(object.size_bytes), object.md5_hex});
}

awaitable<HandlerResult> get_object(Call& call, Services& services) {
  BOOST_OUTCOME_CO_TRY(auto grant,
                       services.signed_urls.verify("GET", call.head().target, call.now()));
  BOOST_OUTCOME_CO_TRY(auto reader, co_await http::blocking(services.file_threads, [&] {
                         return services.objects.open_read(grant.key);
                       }));
  const auto info = reader->info();
  const std::string etag =
      "\"" + std::to_string(info.modified_at.ms) + "-" + std::to_string(info.size_bytes) + "\"";
  auto source = std::make_shared<StoredBytes>(std::move(reader), services.file_threads);
  co_return http::bytes(media_type_of(grant.key), std::move(source), etag)
      .header("Content-Security-Policy", "sandbox; default-src 'none'")
      .header("Cache-Control", "private, max-age=900");
}

}  // namespace

http::RouteTable object_routes(Services& services) {
  return {
      {.method = http::Method::put,
       .path = "/objects/{key:path}",
       .operation_id = "putObject",
       .summary = "Uploads to a signed URL",
       .tag = "objects",
       .access = http::Access::signed_url(),
       .body = http::Body::stream({}, static_cast<std::uint64_t>(services.options.max_video_bytes),
                                  "The file's bytes."),
       .reply = http::replies<StoredReply>(200),
       .handler = [&services](Call& call) { return put_object(call, services); }},
      {.method = http::Method::get,
       .path = "/objects/{key:path}",
       .operation_id = "getObject",
       .summary = "Downloads from a signed URL; takes Range",
       .tag = "objects",
       .access = http::Access::signed_url(),
       .reply = http::replies_bytes("The file's bytes."),
       .handler = [&services](Call& call) { return get_object(call, services); }},
  };
}

}  // namespace annolog::api
