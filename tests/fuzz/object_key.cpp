// Object keys and percent-encoding: a key is a safe relative path, and travels in a URL unchanged.
#include <string>

#include "platform/objects/object_key.hpp"
#include "platform/objects/percent_encoding.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace annolog::fuzz {

void try_input(std::string_view input) {
  require(platform::percent_decode(platform::percent_encode(input)) == input, "encoding reverses");
  if (const auto decoded = platform::percent_decode(input)) {
    require(platform::percent_decode(platform::percent_encode_path(*decoded)) == decoded,
            "decoded text encodes again");
  }
  const auto key = platform::ObjectKey::parse(input);
  if (!key) {
    require(key.error().code == "INVALID_OBJECT_KEY" && !key.error().message.empty(),
            "a refusal says what is wrong");
    return;
  }
  require(key.value().text() == input, "a key is as it came");
  require(input.find_first_of(std::string_view("\0\n\r\\\x7f", 5)) == std::string_view::npos,
          "a key has no control character");
  std::string joined;
  for (const std::string_view segment : key.value().segments()) {
    require(!segment.empty() && segment != "." && segment != "..", "a segment is a name");
    require(segment.find('/') == std::string_view::npos, "a segment is one name");
    joined.append(joined.empty() ? "" : "/").append(segment);
  }
  require(joined == input, "segments make the key");
  require(key.value().segments().back() == key.value().file_name(), "the last one is the file's");
}

}  // namespace annolog::fuzz
