// Stored events: the first line is type and version, the rest the JSON. What decodes encodes to the
// same event again, and bringing it to its stored form changes nothing the second time.
#include <charconv>

#include "domain/codec/events.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace annolog::fuzz {
namespace {

bool is_newest(std::string_view type, int version) {
  for (const auto& entry : codec::event_catalogue()) {
    if (entry.type == type) return entry.version == version;
  }
  return false;
}

void check(std::string_view type, int version, const Event& event) {
  const auto encoded = codec::encode_event(event);
  require(encoded.type == type, "an event keeps its type");
  require(is_newest(type, encoded.version) && version <= encoded.version,
          "it is of today's version");
  require(encoded.subject.find('/') != std::string::npos, "it has a subject");
  Event again = codec::decode_event(encoded.type, encoded.version, encoded.data);
  require(again == event, "what was encoded decodes to the same event");
  require(codec::encode_event(again).data == encoded.data, "one event has one text");
  codec::canonicalise(again);
  require(again == event, "what was read is in its stored form");
}

}  // namespace

void try_input(std::string_view input) {
  const auto [line, data] = split(input);
  const auto [type, version_text] = split(line, ' ');
  int version = 1;
  std::from_chars(version_text.data(), version_text.data() + version_text.size(), version);
  try {
    check(type, version, codec::decode_event(type, version, data));
  } catch (const codec::CodecError&) {
  } catch (const codec::UnknownEvent&) {
    require(!is_newest(type, version), "today's version of a type is known");
  }
}

}  // namespace annolog::fuzz
