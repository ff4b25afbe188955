#include "api/http/json_parse.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "domain/codec/json/utf8.hpp"

namespace annolog::http {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxReported = 100;

// Thrown within this file only, from any depth of the descent to parse_client_json.
struct Broken {
  std::size_t at;
  std::string message;
};

class Parser {
 public:
  Parser(std::string_view text, std::vector<FieldError>& errors) : text_(text), errors_(errors) {}

  json document() {
    json value = this->value(0);
    blanks();
    if (at_ != text_.size()) broken("more text after the end of the document");
    return value;
  }

 private:
  [[noreturn]] void broken(std::string message) const { throw Broken{at_, std::move(message)}; }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void blanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return;
      ++at_;
    }
  }
  bool take(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  void report(std::string msg, std::string type) {
    if (errors_.size() < kMaxReported) errors_.push_back({loc_, std::move(msg), std::move(type)});
  }

  json value(std::size_t depth);
  json object(std::size_t depth);
  json array(std::size_t depth);
  json number();
  json word(std::string_view text, json value);
  std::string string();
  void escape(std::string& out);
  std::uint32_t hex4();
  void plain(std::string& out);

  std::string_view text_;
  std::vector<FieldError>& errors_;
  std::size_t at_ = 0;
  bool nul_ = false;  // the last string had one
  Location loc_;
};

json Parser::value(std::size_t depth) {
  blanks();
  if (at_ >= text_.size()) broken("the text ends where a value should be");
  switch (text_[at_]) {
    case '{':
      if (depth >= kMaxJsonDepth) broken("nested deeper than 64 levels");
      return object(depth + 1);
    case '[':
      if (depth >= kMaxJsonDepth) broken("nested deeper than 64 levels");
      return array(depth + 1);
    case '"': {
      std::string text = string();
      if (nul_) report("must not contain the NUL character", "nul_character");
      return text;
    }
    case 't': return word("true", true);
    case 'f': return word("false", false);
    case 'n': return word("null", nullptr);
    default: return number();
  }
}

json Parser::word(std::string_view word, json value) {
  if (text_.substr(at_, word.size()) != word) broken("not a JSON value");
  at_ += word.size();
  return value;
}

json Parser::object(std::size_t depth) {
  json::object_t members;
  ++at_;
  blanks();
  if (take('}')) return members;
  while (true) {
    blanks();
    if (peek() != '"') broken("a member's name in quotes should be here");
    const std::size_t name_at = at_;
    std::string name = string();
    loc_.emplace_back(name);
    if (nul_) report("a member's name must not contain the NUL character", "nul_character");
    blanks();
    if (!take(':')) broken("a colon should be here");
    json element = value(depth);
    if (!members.try_emplace(std::move(name), std::move(element)).second) {
      at_ = name_at;
      broken("the object has this member twice");
    }
    loc_.pop_back();
    blanks();
    if (take('}')) return members;
    if (!take(',')) broken("a comma or } should be here");
  }
}

json Parser::array(std::size_t depth) {
  json::array_t elements;
  ++at_;
  blanks();
  if (take(']')) return elements;
  while (true) {
    loc_.emplace_back(static_cast<std::int64_t>(elements.size()));
    elements.push_back(value(depth));
    loc_.pop_back();
    blanks();
    if (take(']')) return elements;
    if (!take(',')) broken("a comma or ] should be here");
  }
}

// -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?
json Parser::number() {
  const std::size_t begin = at_;
  const auto digits = [&] {
    const std::size_t first = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    return at_ - first;
  };
  const bool negative = take('-');
  const bool zero_first = peek() == '0';
  const std::size_t whole_digits = digits();
  if (whole_digits == 0) broken(negative ? "a digit should be here" : "not a JSON value");
  if (zero_first && whole_digits > 1) broken("a number must not begin with 0");
  bool whole = true;
  if (take('.')) {
    whole = false;
    if (digits() == 0) broken("a digit should be here");
  }
  if (peek() == 'e' || peek() == 'E') {
    whole = false;
    ++at_;
    if (!take('+')) take('-');
    if (digits() == 0) broken("a digit should be here");
  }
  const char* first = text_.data() + begin;
  const char* last = text_.data() + at_;
  if (whole) {
    std::int64_t integer = 0;
    if (std::from_chars(first, last, integer).ec == std::errc()) {
      // Numbers from 0 on are unsigned in the document tree, as its own reader makes them.
      if (integer >= 0) return static_cast<std::uint64_t>(integer);
      return integer;
    }
  }
  double real = 0;
  const auto result = std::from_chars(first, last, real);
  if (result.ec ==
      std::errc::result_out_of_range) {  // leaves no value; this one gives 0 or HUGE_VAL
    real = std::strtod(std::string(first, last).c_str(), nullptr);
  }
  if (!std::isfinite(real)) {
    report("must be a finite number", "not_finite");
    return 0;
  }
  return real;
}

std::string Parser::string() {
  std::string out;
  nul_ = false;
  ++at_;
  while (true) {
    plain(out);
    if (at_ >= text_.size()) broken("the text ends within a string");
    if (take('"')) return out;
    if (take('\\')) {
      escape(out);
    } else {
      broken("a control character must be escaped");
    }
  }
}

// Appends everything up to the next quote, backslash or control character.
void Parser::plain(std::string& out) {
  const std::size_t begin = at_;
  while (at_ < text_.size()) {
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (c == '"' || c == '\\' || c < 0x20) break;
    if (c < 0x80) {
      ++at_;
      continue;
    }
    const std::size_t length = codec::utf8_sequence_length(text_.substr(at_));
    if (length == 0) broken("the bytes are not valid UTF-8");
    at_ += length;
  }
  out.append(text_.substr(begin, at_ - begin));
}

std::uint32_t Parser::hex4() {
  std::uint32_t code = 0;
  if (at_ + 4 > text_.size()) broken("four hexadecimal digits should be here");
  const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + at_ + 4, code, 16);
  if (error != std::errc() || end != text_.data() + at_ + 4) {
    broken("four hexadecimal digits should be here");
  }
  at_ += 4;
  return code;
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

void Parser::escape(std::string& out) {
  const char c = peek();
  ++at_;
  switch (c) {
    case '"':
    case '\\':
    case '/': out += c; return;
    case 'b': out += '\b'; return;
    case 'f': out += '\f'; return;
    case 'n': out += '\n'; return;
    case 'r': out += '\r'; return;
    case 't': out += '\t'; return;
    case 'u': break;
    default: --at_; broken("an unknown escape");
  }
  std::uint32_t code = hex4();
  if (code >= 0xDC00 && code <= 0xDFFF) broken("half a surrogate pair");
  if (code >= 0xD800 && code <= 0xDBFF) {
    if (text_.substr(at_, 2) != "\\u") broken("half a surrogate pair");
    at_ += 2;
    const std::uint32_t low = hex4();
    if (low < 0xDC00 || low > 0xDFFF) broken("half a surrogate pair");
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  if (code == 0) nul_ = true;
  append_utf8(out, code);
}

MalformedJson place(std::string_view text, Broken broken) {
  MalformedJson malformed{std::move(broken.message), 1, 1};
  const std::string_view before = text.substr(0, broken.at);
  std::size_t line_begin = 0;
  for (std::size_t i = before.find('\n'); i != std::string_view::npos;
       i = before.find('\n', i + 1)) {
    ++malformed.line;
    line_begin = i + 1;
  }
  malformed.column = codec::utf8_length(before.substr(line_begin)) + 1;
  return malformed;
}

}  // namespace

DomainError to_error(const MalformedJson& malformed) {
  return {DomainError::Kind::bad_request,
          "MALFORMED_JSON",
          "The body is not valid JSON: " + malformed.message + " (line " +
              std::to_string(malformed.line) + ", column " + std::to_string(malformed.column) +
              ").",
          {{"line", static_cast<std::int64_t>(malformed.line)},
           {"column", static_cast<std::int64_t>(malformed.column)}},
          {},
          0};
}

std::variant<json, MalformedJson> parse_client_json(std::string_view text,
                                                    std::vector<FieldError>& errors) {
  try {
    return Parser(text, errors).document();
  } catch (Broken& broken) {
    return place(text, std::move(broken));
  }
}

}  // namespace annolog::http
