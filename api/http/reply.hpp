// What a handler answers: a value that the connection writes in one go, or a stream or a file that
// it writes with back-pressure. Made and consumed on the connection's I/O thread.
//   co_return reply(201, view).header("Location", url);
//   co_return no_content();
//   co_return stream("application/json", [](BodyWriter& out) -> awaitable<void> { ... });
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "domain/codec/json/json_writer.hpp"
#include "domain/support/result.hpp"

namespace annolog::http {

using boost::asio::awaitable;

// Thrown by BodyWriter when the client is gone or too slow; let it pass, the connection ends.
class ClientGone : public std::exception {
 public:
  const char* what() const noexcept override { return "the client went away"; }
};

// Throw it when something the answer needs is away: 503 with Retry-After instead of 500.
class Unavailable : public std::exception {
 public:
  explicit Unavailable(std::string message, int retry_after_s = 1)
      : message_(std::move(message)), retry_after_s_(retry_after_s) {}
  const char* what() const noexcept override { return message_.c_str(); }
  int retry_after_s() const { return retry_after_s_; }

 private:
  std::string message_;
  int retry_after_s_;
};

// Where a streamed answer goes. write() waits until the socket took the bytes, or gathers them.
class BodyWriter {
 public:
  virtual ~BodyWriter() = default;
  virtual awaitable<void> write(std::string_view bytes) = 0;  // throws ClientGone
  // Nothing follows soon: what was gathered leaves now.
  virtual awaitable<void> flush() = 0;  // throws ClientGone
};

// Random access bytes (a file, an object) for answers with Range.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::uint64_t size() const = 0;
  // Fills up to buffer.size() bytes from `offset`; 0 only at the end. Throws when it can't be read.
  virtual awaitable<std::size_t> read_at(std::uint64_t offset, std::span<char> buffer) = 0;
};

using StreamBody = std::function<awaitable<void>(BodyWriter&)>;
using SourceBody = std::shared_ptr<ByteSource>;

struct Reply {
  int status = 200;
  std::string content_type;  // empty: none is sent
  std::variant<std::string, StreamBody, SourceBody> body;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string etag;  // quoted; also what If-Range is compared with

  Reply&& header(std::string name, std::string value) && {
    headers.emplace_back(std::move(name), std::move(value));
    return std::move(*this);
  }
  // ETag of a versioned resource: "<version>".
  Reply&& version(std::int64_t version) && {
    etag = "\"" + std::to_string(version) + "\"";
    return std::move(*this);
  }
};

inline constexpr std::string_view kJsonType = "application/json";

// JSON of any described value.
template <class T>
Reply reply(int status, const T& value) {
  return Reply{status, std::string(kJsonType), codec::to_json_text(value), {}, {}};
}
inline Reply reply_json_text(int status, std::string json) {
  return Reply{status, std::string(kJsonType), std::move(json), {}, {}};
}
inline Reply reply_text(std::string content_type, std::string text, int status = 200) {
  return Reply{status, std::move(content_type), std::move(text), {}, {}};
}
inline Reply no_content() { return Reply{204, {}, std::string(), {}, {}}; }
inline Reply accepted(std::string location, std::string json) {
  return Reply{
      202, std::string(kJsonType), std::move(json), {{"Location", std::move(location)}}, {}};
}
// A body whose length is not known before; chunked, and the connection closes if it breaks off.
inline Reply stream(std::string content_type, StreamBody body, int status = 200) {
  return Reply{status, std::move(content_type), std::move(body), {}, {}};
}
// Random access bytes: Range, If-Range, Content-Length and 206/416 are the framework's work.
inline Reply bytes(std::string content_type, SourceBody source, std::string etag = {}) {
  return Reply{200, std::move(content_type), std::move(source), {}, std::move(etag)};
}

using HandlerResult = Result<Reply>;

}  // namespace annolog::http
