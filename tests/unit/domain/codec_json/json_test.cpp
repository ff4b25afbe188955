// The JSON writer and the trusted reader: every form goes out and comes back the same.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "domain/codec/json/json_reader.hpp"
#include "domain/codec/json/json_writer.hpp"

namespace annolog::codec {

enum class Colour { red, blue_green };
BOOST_DESCRIBE_ENUM(Colour, red, blue_green)
enum class Kind { image_det, other };

template <>
struct EnumNames<Kind> {
  static constexpr std::array<std::pair<Kind, std::string_view>, 2> kNames{
      {{Kind::image_det, "image-det"}, {Kind::other, "other"}}};
};

struct Base {
  TaskId id;
  bool operator==(const Base&) const = default;
};
BOOST_DESCRIBE_STRUCT(Base, (), (id))

struct Leaf : Base {
  static constexpr std::array<std::string_view, 1> kOmitWhenEmpty{"notes"};
  std::string name;
  Colour colour = Colour::red;
  Kind kind = Kind::other;
  std::optional<double> score;
  std::vector<std::int64_t> numbers;
  std::map<std::string, bool> flags;
  Timestamp at;
  JsonText extra;
  std::vector<std::string> notes;
  std::array<int, 2> pair{1, 2};
  bool operator==(const Leaf&) const = default;
};
BOOST_DESCRIBE_STRUCT(Leaf, (Base),
                      (name, colour, kind, score, numbers, flags, at, extra, notes, pair))

struct Box {
  static constexpr std::string_view kTag = "box";
  double x = 0;
  bool operator==(const Box&) const = default;
};
BOOST_DESCRIBE_STRUCT(Box, (), (x))
struct Line {
  static constexpr std::string_view kTag = "line";
  std::vector<double> points;
  bool operator==(const Line&) const = default;
};
BOOST_DESCRIBE_STRUCT(Line, (), (points))
using Shape = std::variant<Box, Line>;

struct Change {
  Patch<std::string> name;
  Patch<std::int64_t> size;
  Patch<bool> open;
  bool operator==(const Change&) const = default;
};
BOOST_DESCRIBE_STRUCT(Change, (), (name, size, open))

TEST(JsonWriter, WritesMembersInDescribedOrderBasesFirst) {
  Leaf leaf;
  leaf.id = TaskId{7};
  leaf.name = "a\"b";
  leaf.kind = Kind::image_det;
  leaf.numbers = {1, -2};
  leaf.flags = {{"k", true}};
  leaf.at = Timestamp{1769846400000};
  leaf.extra = JsonText{R"({"deep":[1]})"};
  EXPECT_EQ(to_json_text(leaf),
            R"({"id":7,"name":"a\"b","colour":"red","kind":"image-det","score":null,)"
            R"("numbers":[1,-2],"flags":{"k":true},"at":"2026-01-31T08:00:00.000Z",)"
            R"("extra":{"deep":[1]},"pair":[1,2]})");
  EXPECT_EQ(from_json_text<Leaf>(to_json_text(leaf)), leaf);
}

TEST(JsonWriter, EscapesControlCharactersAndKeepsUtf8) {
  const std::string text = std::string("tab\t nul\0 ü 漢 😀 \x7f", 24) + "\\/";
  const std::string json = to_json_text(text);
  EXPECT_NE(json.find("\\t"), std::string::npos);
  EXPECT_NE(json.find("\\u0000"), std::string::npos);
  EXPECT_EQ(from_json_text<std::string>(json), text);
}

TEST(JsonWriter, ReplacesBytesThatAreNoUtf8) {
  EXPECT_EQ(to_json_text(std::string("a\xff\xc3")), "\"a\xEF\xBF\xBD\xEF\xBF\xBD\"");
  EXPECT_EQ(to_json_text(std::string("\xed\xa0\x80")).size(), 2 + 9U);  // a surrogate, bytewise
}

TEST(JsonWriter, WritesAByteTheSameAloneAndWithinALongText) {
  constexpr std::size_t kLength = 24;
  for (int byte = 0; byte < 256; ++byte) {
    const std::string one(1, static_cast<char>(byte));
    const std::string alone = to_json_text(one);
    for (std::size_t at = 0; at < kLength; ++at) {
      const std::string before(at, 'a');
      const std::string after(kLength - 1 - at, '~');
      EXPECT_EQ(to_json_text(before + one + after),
                '"' + before + alone.substr(1, alone.size() - 2) + after + '"')
          << "byte " << byte << " at " << at;
    }
  }
}

TEST(JsonWriter, WritesDoublesShortestAndExact) {
  for (const double value : {0.1, 1.0 / 3, 1e-300, 123456789.123, -0.0, 5e-324}) {
    EXPECT_EQ(from_json_text<double>(to_json_text(value)), value) << value;
  }
  EXPECT_EQ(to_json_text(0.1), "0.1");
  EXPECT_THROW(to_json_text(std::nan("")), CodecError);
  EXPECT_THROW(to_json_text(std::numeric_limits<double>::infinity()), CodecError);
}

TEST(JsonWriter, TaggedUnionsCarryTheirTag) {
  EXPECT_EQ(to_json_text(Shape{Box{0.5}}), R"({"type":"box","x":0.5})");
  EXPECT_EQ(from_json_text<Shape>(R"({"type":"line","points":[1,2.5]})"), Shape(Line{{1, 2.5}}));
  EXPECT_THROW(from_json_text<Shape>(R"({"type":"disc"})"), CodecError);
}

TEST(JsonReader, PatchKeepsAbsentNullAndValueApart) {
  const auto change = from_json_text<Change>(R"({"name":null,"size":4})");
  EXPECT_TRUE(change.name.is_null());
  EXPECT_EQ(change.size.value(), 4);
  EXPECT_TRUE(change.open.absent());
  EXPECT_EQ(to_json_text(change), R"({"name":null,"size":4})");
}

TEST(JsonReader, ErrorsNameThePath) {
  const auto path_of = [](std::string_view text) {
    try {
      (void)from_json_text<std::vector<Box>>(text);
    } catch (const CodecError& error) {
      return error.path();
    }
    return std::string("no error");
  };
  EXPECT_EQ(path_of(R"([{"x":1},{"x":"y"}])"), "[1].x");
  EXPECT_EQ(path_of(R"([{}])"), "[0].x");
  EXPECT_EQ(path_of("{}"), "");
  EXPECT_EQ(path_of("[1"), "");
}

TEST(JsonReader, RefusesIntegersThatDoNotFit) {
  EXPECT_THROW(from_json_text<int>("3000000000"), CodecError);
  EXPECT_THROW(from_json_text<std::int64_t>("18446744073709551615"), CodecError);
  EXPECT_THROW(from_json_text<unsigned>("-1"), CodecError);
  EXPECT_THROW(from_json_text<int>("1.0"), CodecError);
}

}  // namespace annolog::codec
