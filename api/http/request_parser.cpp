// Beast's HTTP is included here alone: its parser does the grammar, this adds what it leaves open.
#include "api/http/request_parser.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include "api/http/text.hpp"
#include "domain/support/number.hpp"

namespace annolog::http {

namespace beast = boost::beast;

namespace {

// Is the request line well-formed but for a version that is not spoken here?
bool names_a_version(std::string_view input) {
  const std::string_view line = input.substr(0, input.find("\r\n"));
  if (line.find('\n') != std::string_view::npos || line.size() < 8) return false;
  const std::string_view word = line.substr(line.size() - 8);
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return word.starts_with("HTTP/") && digit(word[5]) && word[6] == '.' && digit(word[7]);
}

}  // namespace

// Collects a head into one flat text; offsets become views once it is complete.
class RequestParser::Machine {
 public:
  struct Field {
    std::uint32_t name_at, name_size, value_at, value_size;
  };

  class Parser final : public beast::http::basic_parser<true> {
   public:
    explicit Parser(Machine& machine) : machine_(machine) {}

   private:
    using Error = beast::error_code;
    using Text = beast::string_view;

    void on_request_impl(beast::http::verb, Text method, Text target, int number, Error&) override {
      machine_.method_size = method.size();
      machine_.text.append(method.data(), method.size());
      machine_.target_size = target.size();
      machine_.text.append(target.data(), target.size());
      machine_.version = number;
    }
    void on_response_impl(int, Text, int, Error&) override {}
    void on_field_impl(beast::http::field, Text name, Text value, Error& error) override {
      if (machine_.head_done) return;  // trailers are read and dropped
      if (machine_.fields.size() >= machine_.max_fields) {
        error = beast::http::error::header_limit;
        return;
      }
      Field field{};
      field.name_at = static_cast<std::uint32_t>(machine_.text.size());
      field.name_size = static_cast<std::uint32_t>(name.size());
      machine_.text.append(name.data(), name.size());
      for (char& c : std::span(machine_.text).last(name.size())) c = to_lower(c);
      field.value_at = static_cast<std::uint32_t>(machine_.text.size());
      field.value_size = static_cast<std::uint32_t>(value.size());
      machine_.text.append(value.data(), value.size());
      machine_.fields.push_back(field);
    }
    void on_header_impl(Error&) override { machine_.head_done = true; }
    void on_body_init_impl(const boost::optional<std::uint64_t>&, Error&) override {}
    std::size_t on_body_impl(Text body, Error&) override { return body.size(); }
    void on_chunk_header_impl(std::uint64_t size, Text, Error&) override {
      machine_.chunk_left = size;
    }
    std::size_t on_chunk_body_impl(std::uint64_t left, Text body, Error&) override {
      const std::size_t size = std::min(body.size(), machine_.out.size() - machine_.produced);
      std::memcpy(machine_.out.data() + machine_.produced, body.data(), size);
      machine_.produced += size;
      machine_.chunk_left = left - size;
      return size;
    }
    void on_finish_impl(Error&) override {}

    Machine& machine_;
  };

  void reset(std::size_t max_header_bytes, std::size_t max_header_count) {
    parser.emplace(*this);
    parser->header_limit(static_cast<std::uint32_t>(max_header_bytes));
    parser->body_limit(boost::none);  // bodies are limited per route, by their readers
    text.clear();
    fields.clear();
    max_fields = max_header_count;
    head_done = false;
    chunk_left = 0;
  }

  std::optional<Parser> parser;
  std::string text;
  std::vector<Field> fields;
  std::size_t max_fields = 0;
  std::size_t method_size = 0;
  std::size_t target_size = 0;
  int version = 11;
  bool head_done = false;
  std::span<char> out;
  std::size_t produced = 0;
  std::uint64_t chunk_left = 0;  // bytes of the chunk that is being read
};

RequestParser::RequestParser(std::size_t max_header_bytes, std::size_t max_header_count)
    : max_header_bytes_(max_header_bytes),
      max_header_count_(max_header_count),
      machine_(std::make_unique<Machine>()) {
  reset();
}

RequestParser::~RequestParser() = default;

void RequestParser::reset() {
  machine_->reset(max_header_bytes_, max_header_count_);
  head_bytes_ = 0;
  std::vector<HeaderView> kept = std::move(head_.headers);  // for its room
  kept.clear();
  head_ = {};
  head_.headers = std::move(kept);
  refusal_ = {};
  chunked_ = false;
  content_length_.reset();
}

RequestParser::Status RequestParser::refuse(int status, std::string code, std::string message) {
  refusal_ = {status, std::move(code), std::move(message)};
  return Status::refused;
}

RequestParser::Status RequestParser::parse_head(std::string_view input, std::size_t& consumed) {
  beast::error_code error;
  consumed = machine_->parser->put(boost::asio::buffer(input.data(), input.size()), error);
  head_bytes_ += consumed;
  if (error == beast::http::error::need_more) {
    if (head_bytes_ + (input.size() - consumed) < max_header_bytes_) return Status::need_more;
    error = beast::http::error::header_limit;
  }
  if (error == beast::http::error::header_limit || head_bytes_ > max_header_bytes_) {
    return refuse(431, "HEADERS_TOO_LARGE", "The request's headers are too large or too many.");
  }
  if (error == beast::http::error::bad_version && names_a_version(input)) {
    return refuse(505, "HTTP_VERSION", "This service speaks HTTP/1.1 and HTTP/1.0.");
  }
  if (error) {
    return refuse(400, "MALFORMED_REQUEST", "The request is not valid HTTP: " + error.message());
  }
  return machine_->parser->is_header_done() ? finish_head() : Status::need_more;
}

RequestParser::Status RequestParser::finish_head() {
  const std::string_view text = machine_->text;
  head_.method_text = text.substr(0, machine_->method_size);
  head_.method = method_from(head_.method_text);
  head_.target = text.substr(machine_->method_size, machine_->target_size);
  for (const Machine::Field& field : machine_->fields) {
    head_.headers.push_back({text.substr(field.name_at, field.name_size),
                             text.substr(field.value_at, field.value_size)});
  }
  head_.http_1_0 = machine_->version == 10;
  head_.keep_alive = machine_->parser->keep_alive();
  if (!check_framing() || !check_host() || !check_target() || !check_repeated())
    return Status::refused;
  return Status::done;
}

// How long the body is must have one reading only, whoever stands before this service.
bool RequestParser::check_framing() {
  std::size_t lengths = 0;
  std::size_t encodings = 0;
  for (const HeaderView& field : head_.headers) {
    if (field.name == "content-length") {
      ++lengths;
      content_length_ = number_from<std::uint64_t>(field.value);
      if (!content_length_) {
        refuse(400, "BAD_CONTENT_LENGTH", "Content-Length must be one number.");
        return false;
      }
    } else if (field.name == "transfer-encoding") {
      ++encodings;
      chunked_ = equals_ignoring_case(field.value, "chunked");
      if (!chunked_) {
        refuse(400, "BAD_TRANSFER_ENCODING", "The only Transfer-Encoding taken is chunked.");
        return false;
      }
    }
    // A NUL, CR or LF in a value is somebody's smuggled line.
    const auto is_in_value = [&](char c) { return field.value.find(c) != std::string_view::npos; };
    if (is_in_value('\0') || is_in_value('\r') || is_in_value('\n')) {
      refuse(400, "MALFORMED_REQUEST", "A header holds a control character.");
      return false;
    }
  }
  if (lengths > 1 || encodings > 1 || (lengths != 0 && encodings != 0) ||
      (encodings != 0 && head_.http_1_0)) {
    refuse(400, "AMBIGUOUS_LENGTH", "The length of the request's body is ambiguous.");
    return false;
  }
  return true;
}

bool RequestParser::check_host() {
  std::size_t hosts = 0;
  for (const HeaderView& field : head_.headers) {
    if (field.name != "host") continue;
    ++hosts;
    if (field.value.find_first_of(" \t/\\@?#,<>\"") != std::string_view::npos) hosts = 2;
  }
  if (hosts == 1 || (hosts == 0 && head_.http_1_0)) return true;
  refuse(400, "BAD_HOST", "The request needs one valid Host header.");
  return false;
}

// Of what is looked at once: who stands before this service may read another one of the two.
bool RequestParser::check_repeated() {
  constexpr std::array<std::string_view, 7> kOnce{
      "authorization",    "x-api-key",     "content-type", "idempotency-key",
      "x-event-position", "last-event-id", "origin"};
  std::array<bool, kOnce.size()> came{};
  for (const HeaderView& field : head_.headers) {
    const auto found = std::ranges::find(kOnce, field.name);
    if (found == kOnce.end()) continue;
    bool& before = came[static_cast<std::size_t>(found - kOnce.begin())];
    if (before) {
      refuse(400, "REPEATED_HEADER", "The request has more than one " + std::string(*found) + ".");
      return false;
    }
    before = true;
  }
  return true;
}

bool RequestParser::check_target() {
  std::string_view target = head_.target;
  const bool asterisk = target == "*" && head_.method == Method::options;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (target.size() < scheme.size() ||
        !equals_ignoring_case(target.substr(0, scheme.size()), scheme)) {
      continue;
    }
    // The absolute form must mean this very host.
    const std::string_view rest = target.substr(scheme.size());
    const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
    if (!equals_ignoring_case(rest.substr(0, end), head_.header("host").value_or(""))) break;
    target = end == rest.size() ? "/" : rest.substr(end);
    break;
  }
  if (!asterisk && (!target.starts_with('/') || target.find('#') != std::string_view::npos)) {
    refuse(400, "BAD_TARGET", "The request's target must be a path from / on.");
    return false;
  }
  const std::size_t question = target.find('?');
  head_.path = target.substr(0, question);
  head_.query =
      question == std::string_view::npos ? std::string_view() : target.substr(question + 1);
  return true;
}

RequestParser::BodyStep RequestParser::parse_chunks(std::string_view input, std::span<char> out) {
  BodyStep step;
  auto& parser = *machine_->parser;
  machine_->out = out;
  machine_->produced = 0;
  while (!parser.is_done() && machine_->produced < out.size()) {
    beast::error_code error;
    const std::string_view rest = input.substr(step.consumed);
    // Beast 1.81 aborts the program when it is asked twice about a last chunk of which fewer bytes
    // than "0\r\n\r\n" have come.
    if (machine_->chunk_left == 0 && rest.starts_with('0') && rest.size() < 5) break;
    const std::size_t taken = parser.put(boost::asio::buffer(rest.data(), rest.size()), error);
    step.consumed += taken;
    if (error == beast::http::error::need_more || (!error && taken == 0 && !parser.is_done())) {
      break;
    }
    if (error) {
      refuse(400, "MALFORMED_CHUNKS", "The chunks of the body are broken: " + error.message());
      step.status = Status::refused;
      break;
    }
  }
  step.produced = machine_->produced;
  if (parser.is_done()) step.status = Status::done;
  return step;
}

}  // namespace annolog::http
