#include "workers/import/json_rows.hpp"

#include <array>
#include <optional>
#include <streambuf>
#include <utility>
#include <vector>

namespace annolog::workers {
namespace {

using nlohmann::json;

// The document, cut off where one token grows past the limit: the parser would gather it whole.
class BoundedTokens final : public std::streambuf {
 public:
  BoundedTokens(std::istream& from, std::size_t token_bytes)
      : from_(from), token_bytes_(token_bytes) {}

  void token_ended() { since_token_ = 0; }
  bool cut() const { return cut_; }

 protected:
  int_type underflow() override {
    if (since_token_ > token_bytes_) {
      cut_ = true;
      return traits_type::eof();
    }
    from_.read(piece_.data(), static_cast<std::streamsize>(piece_.size()));
    const auto got = from_.gcount();
    if (got <= 0) return traits_type::eof();
    since_token_ += static_cast<std::size_t>(got);
    setg(piece_.data(), piece_.data(), piece_.data() + got);
    return traits_type::to_int_type(piece_.front());
  }

 private:
  std::istream& from_;
  std::size_t token_bytes_;
  std::size_t since_token_ = 0;
  bool cut_ = false;
  std::array<char, 16 * 1024> piece_{};
};

class RowEvents final : public json::json_sax_t {
 public:
  RowEvents(BoundedTokens& bytes, const std::set<std::string>& lists, RowSink& sink,
            const RowLimits& limits)
      : bytes_(bytes), lists_(lists), sink_(sink), limits_(limits) {}

  bool null() override { return value(nullptr); }
  bool boolean(bool given) override { return value(given); }
  bool number_integer(number_integer_t given) override { return value(given); }
  bool number_unsigned(number_unsigned_t given) override { return value(given); }
  bool number_float(number_float_t given, const string_t&) override { return value(given); }
  bool string(string_t& given) override {
    return (open_.empty() || adds_text(given.size())) && value(std::move(given));
  }
  bool binary(binary_t&) override { return refuse("holds binary data"); }
  bool start_object(std::size_t) override { return start(json::object()); }
  bool start_array(std::size_t) override { return start(json::array()); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }

  bool key(string_t& name) override {
    bytes_.token_ended();
    if (depth_ == 1) member_ = std::move(name);
    if (open_.empty()) return true;
    key_ = std::move(name);
    return adds_text(key_.size());
  }

  bool parse_error(std::size_t byte, const std::string&, const json::exception&) override {
    const std::string at = " near byte " + std::to_string(byte) + ".";
    problem_ = bytes_.cut() ? "holds a text, a number or blanks too long to read" + at
                            : "is not valid JSON" + at;
    return false;
  }

  const std::optional<std::string>& problem() const { return problem_; }

 private:
  bool refuse(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  bool listed() const { return lists_.contains(member_); }
  std::string place() const { return "/" + member_ + "/" + std::to_string(index_) + "."; }

  // To the row; false when it has too much.
  bool adds_text(std::size_t bytes) {
    text_bytes_ += bytes;
    return text_bytes_ <= limits_.text_bytes || refuse("has too much text at " + place());
  }

  bool start(json container) {
    bytes_.token_ended();
    if (depth_ == 0 && !container.is_object()) return refuse("is not a JSON object.");
    if (depth_ == 1) {
      if (listed() && !container.is_array()) return refuse("has no list at /" + member_ + ".");
      if (listed()) sink_.list(member_);
      index_ = 0;
    }
    if (depth_ >= limits_.depth) return refuse("is nested too deeply in /" + member_ + ".");
    if (depth_ >= 2 && listed()) {
      if (depth_ == 2) values_ = text_bytes_ = 0;
      json* placed = put(std::move(container));
      if (placed == nullptr) return false;
      open_.push_back(placed);
    }
    ++depth_;
    return true;
  }

  bool end() {
    bytes_.token_ended();
    --depth_;
    if (open_.empty()) return true;
    open_.pop_back();
    return open_.empty() ? give(std::move(row_)) : true;
  }

  template <class Value>
  bool value(Value&& given) {
    bytes_.token_ended();
    if (depth_ == 0) return refuse("is not a JSON object.");
    if (depth_ == 1) {
      if (listed()) return refuse("has no list at /" + member_ + ".");
      return sink_.member(member_, json(std::forward<Value>(given)));
    }
    if (!listed()) return true;
    if (open_.empty()) return give(json(std::forward<Value>(given)));
    return put(json(std::forward<Value>(given))) != nullptr;
  }

  // Into the row; null when it has too many values.
  json* put(json given) {
    if (++values_ > limits_.values) {
      refuse("has too many values at " + place());
      return nullptr;
    }
    if (open_.empty()) return &(row_ = std::move(given));
    json& parent = *open_.back();
    if (parent.is_object()) return &(parent[key_] = std::move(given));
    parent.push_back(std::move(given));
    return &parent.back();
  }

  bool give(json row) {
    row_ = json();
    return sink_.row(member_, index_++, std::move(row));
  }

  BoundedTokens& bytes_;
  const std::set<std::string>& lists_;
  RowSink& sink_;
  const RowLimits& limits_;
  int depth_ = 0;
  std::string member_;  // of the document
  std::string key_;     // in the row
  std::size_t index_ = 0;
  std::size_t values_ = 0;
  std::size_t text_bytes_ = 0;
  json row_;
  std::vector<json*> open_;  // what of the row is not ended, outermost first
  std::optional<std::string> problem_;
};

}  // namespace

Result<void> read_rows(std::istream& document, const std::set<std::string>& lists, RowSink& sink,
                       const RowLimits& limits) {
  BoundedTokens bytes(document, limits.token_bytes);
  std::istream bounded(&bytes);
  RowEvents events(bytes, lists, sink, limits);
  json::sax_parse(bounded, &events);
  if (!events.problem()) return success();
  return DomainError{DomainError::Kind::invalid,
                     "INVALID_DOCUMENT",
                     "The document " + *events.problem(),
                     {},
                     {},
                     0};
}

}  // namespace annolog::workers
