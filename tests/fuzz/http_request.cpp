// Heads and chunked bodies of requests. How the bytes were cut on their way must not matter, and a
// head that is taken has one reading only.
#include <array>
#include <string>

#include "api/http/request_parser.hpp"
#include "api/http/text.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace annolog::fuzz {
namespace {

using http::HeaderView;
using http::RequestParser;
using Status = RequestParser::Status;

constexpr std::size_t kMaxHeaderBytes = 2048;
constexpr std::size_t kMaxHeaders = 16;
constexpr std::string_view kBreaks("\0\r\n", 3);

struct Outcome {
  Status head = Status::need_more;
  Status body = Status::need_more;
  std::string text;  // the head as it was read
  std::string decoded;
  std::size_t consumed = 0;
};

std::string rendered(const http::RequestHead& head) {
  std::string text(head.method_text);
  text.append(" ").append(head.target).append(head.http_1_0 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n");
  for (const HeaderView& field : head.headers) {
    text.append(field.name).append(": ").append(field.value).append("\r\n");
  }
  return text + "\r\n";
}

// As a connection does it: what has come, less what was consumed, is offered again with each piece.
class Feeder {
 public:
  Feeder(std::string_view input, std::size_t piece) : input_(input), piece_(piece) {}

  Outcome run() {
    while (outcome_.head == Status::need_more && more()) {
      std::size_t consumed = 0;
      outcome_.head = parser_.parse_head(buffered(), consumed);
      take(consumed);
    }
    require(outcome_.head != Status::refused || parser_.refusal().status >= 400,
            "a refusal has a status");
    if (outcome_.head != Status::done) return outcome_;
    check_head(parser_.head());
    outcome_.text = rendered(parser_.head());
    if (parser_.chunked()) read_chunks();
    return outcome_;
  }

 private:
  std::string_view buffered() const {
    return input_.substr(outcome_.consumed, came_ - outcome_.consumed);
  }
  bool more() {
    if (came_ == input_.size()) return false;
    came_ = std::min(input_.size(), came_ + piece_);
    return true;
  }
  void take(std::size_t consumed) {
    require(consumed <= buffered().size(), "no more is consumed than was there");
    outcome_.consumed += consumed;
  }

  void check_head(const http::RequestHead& head) {
    require(head.path.starts_with('/') || head.path == "*", "a path begins with /");
    require(head.path.find('?') == std::string_view::npos, "a path has no query");
    require(head.target.find_first_of(" \t\r\n#") == std::string_view::npos,
            "a target is one word");
    require(!parser_.chunked() || !parser_.content_length(), "a body has one length");
    require(head.http_1_0 || head.header("host").has_value(), "HTTP/1.1 names its host");
    require(head.headers.size() <= kMaxHeaders, "headers are counted");
    for (const HeaderView& field : head.headers) {
      require(http::is_token(field.name), "a header's name is a token");
      require(field.value.find_first_of(kBreaks) == std::string_view::npos, "a value is one line");
      require(http::trim(field.value) == field.value, "a value has no blanks around it");
    }
    (void)head.cookie("session");
    (void)head.joined("x-forwarded-for");
    (void)head.prefers_strict();
  }

  void read_chunks() {
    std::array<char, 64> out{};
    const std::size_t room = std::min(out.size(), piece_);
    while (true) {
      const auto step = parser_.parse_chunks(buffered(), std::span(out).first(room));
      require(step.produced <= room, "a chunk stays within its buffer");
      take(step.consumed);
      outcome_.decoded.append(out.data(), step.produced);
      outcome_.body = step.status;
      if (step.status != Status::need_more) return;
      const bool stands = step.produced == 0 && step.consumed == 0;
      if (step.produced < room && !more() && stands) return;
    }
  }

  RequestParser parser_{kMaxHeaderBytes, kMaxHeaders};
  std::string_view input_;
  std::size_t piece_;
  std::size_t came_ = 0;
  Outcome outcome_;
};

}  // namespace

void try_input(std::string_view input) {
  const Outcome whole = Feeder(input, input.size()).run();
  const Outcome bytes = Feeder(input, 1).run();
  const Outcome pieces = Feeder(input, 7).run();
  for (const Outcome* other : {&bytes, &pieces}) {
    // What is wrong may show sooner or later: bytes that are not taken are refused or waited on.
    require((whole.head == Status::done) == (other->head == Status::done), "a head has one end");
    require(whole.text == other->text, "a head has one reading");
    require((whole.body == Status::done) == (other->body == Status::done), "a body has one end");
    if (whole.body != other->body || whole.body == Status::refused) continue;
    require(whole.decoded == other->decoded, "a body has one reading");
    require(whole.body != Status::done || whole.consumed == other->consumed, "a body has one size");
  }
  if (whole.head != Status::done || whole.text.size() > kMaxHeaderBytes) return;
  const Outcome again = Feeder(whole.text, whole.text.size()).run();
  require(again.head == Status::done && again.text == whole.text, "a head reads back as it is");
}

}  // namespace annolog::fuzz
