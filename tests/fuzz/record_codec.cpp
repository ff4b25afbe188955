// Records of the log: bytes that decode are exactly what encoding the record gives.
#include <string>

#include "eventstore/record_codec.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace annolog::fuzz {

void try_input(std::string_view input) {
  if (const auto stored = eventstore::split_stored(input)) {
    require(stored->encoding.size() + stored->chain.size() == input.size(), "nothing is lost");
    require(stored->encoding.data() == input.data(), "the encoding comes first");
  }
  const auto record = eventstore::decode_record(input);
  if (!record) return;
  require(record->headers.schema_version >= 1, "a schema version is 1 or more");
  std::string again;
  eventstore::encode_record(record->headers, record->data, record->last_of_command, again);
  require(again == input, "a record has one encoding");
}

}  // namespace annolog::fuzz
