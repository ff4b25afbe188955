// Beast's WebSocket is included here alone: it costs half a minute of compile time.
#include "api/http/websocket.hpp"

#include <utility>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/websocket/stream.hpp>

namespace annolog::http {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;

namespace {

constexpr std::size_t kWriteBufferBytes = 4 * 1024;
// What a read buffer may keep between two messages.
constexpr std::size_t kKeptBytes = 2048;
// Windows of 1 KiB: thousands of idle sockets may each hold one, and frames are short. Nothing is
// taken over from message to message, so that what was packed needs no memory afterwards.
constexpr int kWindowBits = 10;

websocket::permessage_deflate deflate_options(const WebSocketLimits& limits) {
  websocket::permessage_deflate options;
  options.server_enable = true;
  options.server_max_window_bits = kWindowBits;
  options.client_max_window_bits = kWindowBits;
  options.server_no_context_takeover = true;
  options.client_no_context_takeover = true;
  options.compLevel = 3;
  options.memLevel = 2;
  options.msg_size_threshold = limits.compress_from_bytes;
  return options;
}

// Sixteen bytes as base64 (RFC 6455, section 4.2.1).
bool is_key(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  return text.size() == 24 && text.find_first_not_of(kDigits) == 22 && text.ends_with("==");
}

}  // namespace

bool asks_for_websocket(const RequestHead& head) {
  return head.method == Method::get && !head.http_1_0 && head.has_token("upgrade", "websocket") &&
         head.has_token("connection", "upgrade") &&
         is_key(head.header("sec-websocket-key").value_or("")) &&
         head.header("sec-websocket-version") == "13";
}

// Shared with the operations under way: they end after the socket's owner has let go.
struct WebSocket::Impl {
  Impl(DetachedConnection connection, const WebSocketLimits& limits)
      : place(std::move(connection.place)),
        received(std::move(connection.received)),
        stream(std::move(connection.socket)) {
    stream.set_option(deflate_options(limits));
    stream.set_option(websocket::stream_base::timeout{websocket::stream_base::none(),
                                                      websocket::stream_base::none(), false});
    stream.read_message_max(limits.message_bytes);
    stream.write_buffer_bytes(kWriteBufferBytes);
    stream.auto_fragment(false);
    stream.text(true);
  }

  ConnectionPlace place;
  std::string received;
  websocket::stream<asio::ip::tcp::socket> stream;
  beast::flat_buffer in;
  bool pinging = false;
  bool closing = false;
};

WebSocket::WebSocket(DetachedConnection connection, const WebSocketLimits& limits)
    : impl_(std::make_shared<Impl>(std::move(connection), limits)) {}

WebSocket::~WebSocket() { abort(); }

void WebSocket::on_control(std::function<void()> heard) {
  impl_->stream.control_callback(
      [heard = std::move(heard)](websocket::frame_type, beast::string_view) { heard(); });
}

// The head is parsed here, since Beast's own reading of it has room for 1.5 KB. A client that sends
// more before it is answered breaks the protocol (RFC 6455, section 4.1).
awaitable<bool> WebSocket::accept() {
  const auto impl = impl_;
  beast::http::request_parser<beast::http::empty_body> parser;
  parser.header_limit(static_cast<std::uint32_t>(impl->received.size() + 1));
  boost::system::error_code error;
  const std::size_t used = parser.put(asio::buffer(impl->received), error);
  if (error || !parser.is_header_done() || used != impl->received.size()) {
    abort();
    co_return false;
  }
  std::string().swap(impl->received);
  co_await impl->stream.async_accept(parser.get(),
                                     asio::redirect_error(asio::use_awaitable, error));
  if (error) abort();
  co_return !error;
}

awaitable<std::optional<std::string>> WebSocket::read() {
  const auto impl = impl_;
  for (;;) {
    boost::system::error_code error;
    const std::size_t size = co_await impl->stream.async_read(
        impl->in, asio::redirect_error(asio::use_awaitable, error));
    if (error) {
      // Broken rules were answered with a close frame by now, as far as the other side takes it.
      beast::get_lowest_layer(impl->stream).close(error);
      co_return std::nullopt;
    }
    std::string message(static_cast<const char*>(impl->in.data().data()), size);
    impl->in.consume(size);
    if (impl->in.capacity() > kKeptBytes) impl->in = beast::flat_buffer();
    if (impl->stream.got_text()) co_return message;
    close(websocket::close_code::unknown_data, "only text is understood");
  }
}

void WebSocket::write(std::shared_ptr<const std::string> text, Done done) {
  const auto bytes = asio::buffer(*text);
  impl_->stream.async_write(
      bytes, [impl = impl_, text = std::move(text), done = std::move(done)](
                 const boost::system::error_code& error, std::size_t) { done(!error); });
}

void WebSocket::ping() {
  if (impl_->pinging || impl_->closing) return;
  impl_->pinging = true;
  impl_->stream.async_ping(
      {}, [impl = impl_](const boost::system::error_code&) { impl->pinging = false; });
}

void WebSocket::close(std::uint16_t code, std::string_view reason) {
  if (std::exchange(impl_->closing, true)) return;
  const websocket::close_reason why(static_cast<websocket::close_code>(code),
                                    beast::string_view(reason.data(), reason.size()));
  impl_->stream.async_close(why, [impl = impl_](const boost::system::error_code&) {
    boost::system::error_code ignored;
    beast::get_lowest_layer(impl->stream).close(ignored);
  });
}

void WebSocket::abort() {
  boost::system::error_code ignored;
  beast::get_lowest_layer(impl_->stream).close(ignored);
}

}  // namespace annolog::http
