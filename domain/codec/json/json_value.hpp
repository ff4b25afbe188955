// A look at a parsed JSON document, whoever parsed it: JsonDocument, which reads our own JSON with
// simdjson, or nlohmann/json, which holds clients' bodies after the HTTP layer has checked them.
// Neither library's headers are needed to read, so what the readers cost to compile stays small.
// A value is a plain look: valid as long as its document, copied for nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/container/small_vector.hpp>
#include <nlohmann/json_fwd.hpp>

namespace annolog::codec {

struct JsonMember;

class JsonValue {
 public:
  JsonValue() = default;  // of nothing: only to be assigned to
  // Implicit: a tree is read wherever a value is.
  JsonValue(const nlohmann::json& tree) : tree_(&tree) {}

  bool is_null() const;
  bool is_boolean() const;
  bool is_integer() const;  // written without fraction and exponent
  bool is_number() const;   // an integer, too
  bool is_string() const;
  bool is_array() const;
  bool is_object() const;

  // Of what the value is; nullopt: it is something else, or an integer of another range.
  std::optional<bool> as_bool() const;
  std::optional<std::int64_t> as_int64() const;
  std::optional<std::uint64_t> as_uint64() const;
  std::optional<double> as_double() const;
  std::optional<std::string_view> as_string() const;  // valid as long as the document

  // Of an array, of an object; of anything else nothing.
  using Elements = boost::container::small_vector<JsonValue, 8>;
  Elements elements() const;
  using Members = boost::container::small_vector<JsonMember, 24>;
  Members members() const;
  std::optional<JsonValue> member(std::string_view name) const;

  // Compact, members in the order of their names, numbers as nlohmann/json writes them: the same
  // bytes from whichever form the value was written in.
  std::string canonical_text() const;

 private:
  friend class JsonDocument;
  // Where simdjson's tape has the value: its document and the place there.
  using Place = std::array<std::uintptr_t, 2>;
  explicit JsonValue(Place place) : place_(place) {}

  const nlohmann::json* tree_ = nullptr;  // null: it is on a tape
  Place place_{};
};

struct JsonMember {
  std::string_view name;
  JsonValue value;
};

// The members of an object by name: found at once when they are asked for in their order.
class JsonMembers {
 public:
  explicit JsonMembers(const JsonValue& object) : all_(object.members()) {}

  const JsonValue* find(std::string_view name) {
    for (std::size_t tried = 0; tried < all_.size(); ++tried) {
      if (next_ == all_.size()) next_ = 0;
      const JsonMember& member = all_[next_++];
      if (member.name == name) return &member.value;
    }
    return nullptr;
  }

 private:
  JsonValue::Members all_;
  std::size_t next_ = 0;
};

// Parsed text; throws CodecError when it is malformed. One thread. What parsing needs of memory is
// kept for the thread's next documents, unless this one was large.
class JsonDocument {
 public:
  explicit JsonDocument(std::string_view text);
  ~JsonDocument();
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  JsonValue root() const { return root_; }

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
  JsonValue root_;
};

// For those who want a tree of their own; throws CodecError when the text is malformed.
nlohmann::json parse_json(std::string_view text);

}  // namespace annolog::codec
