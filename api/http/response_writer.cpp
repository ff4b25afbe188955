// How a connection writes answers: one write for a short one, chunks with back-pressure for a
// stream, bounded pieces for a file. Sources: RFC 9110, RFC 9112.
#include <algorithm>
#include <ctime>

#include <fmt/format.h>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "api/http/connection.hpp"
#include "api/http/error_reply.hpp"
#include "api/http/range.hpp"

namespace annolog::http {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kPieceBytes = 64 * 1024;
constexpr std::size_t kChunkBytes = 32 * 1024;  // small writes of a stream are gathered up to it
constexpr std::size_t kCopyBytes = 16 * 1024;   // a body up to it is copied behind its head

// IMF-fixdate, made once a second and thread.
std::string_view http_date(Timestamp now) {
  thread_local std::int64_t second = -1;
  thread_local std::string text;
  if (now.ms / 1000 != second) {
    second = now.ms / 1000;
    const std::time_t time = second;
    std::tm utc{};
    gmtime_r(&time, &utc);
    constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    text =
        fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", kDays[utc.tm_wday], utc.tm_mday,
                    kMonths[utc.tm_mon], utc.tm_year + 1900, utc.tm_hour, utc.tm_min, utc.tm_sec);
  }
  return text;
}

bool has_no_body(int status) { return status < 200 || status == 204 || status == 304; }

// JSON shows what is so now, and to this caller. A handler may have said otherwise.
bool must_not_be_stored(const Reply& reply) {
  return reply.content_type.ends_with("json") &&
         std::ranges::none_of(reply.headers,
                              [](const auto& field) { return field.first == "Cache-Control"; });
}

}  // namespace

void Connection::put_header(std::string_view name, std::string_view value) {
  out_ += name;
  out_ += ": ";
  // A line break in a value would begin a header of its own.
  for (const char c : value) out_ += c == '\r' || c == '\n' || c == '\0' ? ' ' : c;
  out_ += "\r\n";
}

void Connection::put_cors() {
  const auto& allowed = state_.options.cors_origins;
  if (allowed.empty()) return;
  const auto origin = parser_.head().header("origin");
  if (!origin) return;
  const bool any = std::find(allowed.begin(), allowed.end(), "*") != allowed.end();
  if (!any && std::find(allowed.begin(), allowed.end(), *origin) == allowed.end()) return;
  put_header("Access-Control-Allow-Origin", any ? "*" : *origin);
  if (!any) {
    put_header("Vary", "Origin");
    put_header("Access-Control-Allow-Credentials", "true");
  }
  put_header("Access-Control-Expose-Headers",
             "ETag, Location, Retry-After, X-Request-Id, X-Event-Position, X-Ignored-Fields, "
             "X-No-Task-Reason, X-Captcha-Id, Idempotency-Replayed");
}

void Connection::start_head(const Reply& reply, int status) {
  const RequestHead& head = parser_.head();
  answered_status_ = status;
  out_.clear();
  out_ += "HTTP/1.1 ";
  out_ += std::to_string(status);
  out_ += ' ';
  out_ += reason_phrase(status);
  out_ += "\r\nDate: ";
  out_ += http_date(state_.parts.clock.now());
  out_ += "\r\n";
  if (!reply.content_type.empty()) put_header("Content-Type", reply.content_type);
  put_header("X-Request-Id", head.request_id);
  put_header("traceparent", head.traceparent);
  out_ += "X-Content-Type-Options: nosniff\r\n";
  if (!reply.etag.empty()) put_header("ETag", reply.etag);
  if (must_not_be_stored(reply)) out_ += "Cache-Control: no-store\r\n";
  for (const auto& [name, value] : reply.headers) put_header(name, value);
  put_cors();
}

void Connection::end_head() {
  if (!keep_) {
    out_ += "Connection: close\r\n";
  } else if (parser_.head().http_1_0) {
    out_ += "Connection: keep-alive\r\n";
  }
  out_ += "\r\n";
}

// Tries at once; waits for the socket only when the client's window is full.
awaitable<void> Connection::write_all(std::string_view head, std::string_view body) {
  while (!head.empty() || !body.empty()) {
    const std::array<asio::const_buffer, 2> buffers{asio::buffer(head.data(), head.size()),
                                                    asio::buffer(body.data(), body.size())};
    boost::system::error_code error;
    std::size_t count = socket_.write_some(buffers, error);
    if (error == asio::error::would_block || error == asio::error::try_again) {
      const auto before = Clock::now();
      deadline_ = deadline_of(write_pace_, state_.options.limits.write_ms);
      error = {};
      count = co_await socket_.async_write_some(buffers,
                                                asio::redirect_error(asio::use_awaitable, error));
      disarm();
      write_pace_.waited_ms +=
          std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - before).count();
    }
    if (error) throw ClientGone();
    write_pace_.bytes += count;
    const std::size_t of_head = std::min(count, head.size());
    head.remove_prefix(of_head);
    body.remove_prefix(count - of_head);
  }
}

awaitable<void> Connection::write_reply(Reply& reply) {
  if (std::holds_alternative<SourceBody>(reply.body)) {
    co_await write_source(reply);
    co_return;
  }
  if (std::holds_alternative<StreamBody>(reply.body)) {
    co_await write_stream(reply);
    co_return;
  }
  const std::string& text = std::get<std::string>(reply.body);
  start_head(reply, reply.status);
  if (!has_no_body(reply.status)) put_header("Content-Length", std::to_string(text.size()));
  end_head();
  const bool bare = parser_.head().method == Method::head || has_no_body(reply.status);
  if (bare) {
    co_await write_all(out_, {});
  } else if (text.size() <= kCopyBytes) {
    out_ += text;
    co_await write_all(out_, {});
  } else {
    co_await write_all(out_, text);
  }
  answered_bytes_ = bare ? 0 : text.size();
}

awaitable<void> Connection::write_source(Reply& reply) {
  ByteSource& source = *std::get<SourceBody>(reply.body);
  const RequestHead& request = parser_.head();
  const std::uint64_t size = source.size();
  const RangeChoice choice =
      reply.status == 200 && request.method == Method::get
          ? choose_range(request.header("range"), request.header("if-range"), reply.etag, size)
          : RangeChoice{};
  if (choice.kind == RangeChoice::Kind::unsatisfiable) {
    Reply refusal = error_reply(request,
                                {DomainError::Kind::invalid,
                                 "RANGE_NOT_SATISFIABLE",
                                 "The range lies outside the content.",
                                 {},
                                 {},
                                 0},
                                416);
    refusal.headers.emplace_back("Content-Range", "bytes */" + std::to_string(size));
    co_await write_reply(refusal);
    co_return;
  }
  const bool part = choice.kind == RangeChoice::Kind::part;
  const std::uint64_t begin = part ? choice.range.first : 0;
  const std::uint64_t length = part ? choice.range.length() : size;
  start_head(reply, part ? 206 : reply.status);
  put_header("Accept-Ranges", "bytes");
  put_header("Content-Length", std::to_string(length));
  if (part) {
    put_header("Content-Range", fmt::format("bytes {}-{}/{}", begin, choice.range.last, size));
  }
  end_head();
  if (request.method == Method::head || length == 0) {
    co_await write_all(out_, {});
    co_return;
  }
  std::string piece(std::min<std::uint64_t>(kPieceBytes, length), '\0');
  std::string_view head = out_;
  for (std::uint64_t done = 0; done < length;) {
    const std::size_t want = std::min<std::uint64_t>(piece.size(), length - done);
    const std::size_t got =
        co_await source.read_at(begin + done, std::span<char>(piece.data(), want));
    if (got == 0) throw Unavailable("the content ended before its length");
    co_await write_all(head, std::string_view(piece).substr(0, got));
    head = {};
    done += got;
    answered_bytes_ += got;
  }
}

// Gathers what a stream writes into chunks; the first bytes go out at once, with the head.
class StreamWriter final : public BodyWriter {
 public:
  StreamWriter(Connection& connection, bool chunked) : connection_(connection), chunked_(chunked) {}

  awaitable<void> write(std::string_view bytes) override {
    connection_.answered_bytes_ += bytes.size();
    pending_ += bytes;
    if (!started_ || pending_.size() >= kChunkBytes) co_await send(false);
  }

  awaitable<void> flush() override {
    if (!pending_.empty()) co_await send(false);
  }

  awaitable<void> send(bool last) {
    std::string framed;
    if (!started_) framed = std::move(connection_.out_);
    started_ = true;
    if (!chunked_) {
      co_await connection_.write_all(framed, pending_);
    } else {
      if (!pending_.empty()) {
        framed += fmt::format("{:x}\r\n", pending_.size());
        pending_ += "\r\n";
      }
      if (last) pending_ += "0\r\n\r\n";
      co_await connection_.write_all(framed, pending_);
    }
    pending_.clear();
  }

 private:
  Connection& connection_;
  std::string pending_;
  bool chunked_;
  bool started_ = false;
};

awaitable<void> Connection::write_stream(Reply& reply) {
  const RequestHead& request = parser_.head();
  const bool chunked = !request.http_1_0;
  if (!chunked) keep_ = false;  // HTTP/1.0 knows only the connection's end
  start_head(reply, reply.status);
  if (chunked) put_header("Transfer-Encoding", "chunked");
  end_head();
  if (request.method == Method::head) {
    co_await write_all(out_, {});
    co_return;
  }
  StreamWriter writer(*this, chunked);
  co_await std::get<StreamBody>(reply.body)(writer);
  co_await writer.send(true);
}

}  // namespace annolog::http
