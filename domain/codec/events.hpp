// Events as the log keeps them: JSON with a type and a version. Thread-safe.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "domain/codec/json/codec_error.hpp"
#include "domain/events.hpp"

namespace annolog::codec {

// The log holds a type that this program does not know: it was written by a newer one.
struct UnknownEvent : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct EncodedEvent {
  std::string_view type;
  int version = 1;
  std::string subject;  // "task/42": the aggregate it happened to
  std::string data;     // JSON
};

EncodedEvent encode_event(const Event& event);

// Brings the JSON that an event carries through (JsonText) into the form in which it reads back
// from the log, so that live state and refolded state have the same bytes.
void canonicalise(Event& event);

// Stored JSON climbs to the newest version, a step at a time, before it becomes a struct. Throws
// CodecError when the data does not fit, UnknownEvent for an unknown type or a newer version.
Event decode_event(std::string_view type, int version, std::string_view data);

// "task/42": from the event's most specific id.
std::string subject_of(const Event& event);

// The catalogue: every type and its newest version, in the order of the Event variant.
struct CatalogueEntry {
  std::string_view type;
  int version;
};
std::vector<CatalogueEntry> event_catalogue();

// One step of one type: `data`, an object, of version `from` becomes version `from + 1`.
struct Upcaster {
  std::string_view type;
  int from;
  void (*climb)(nlohmann::json& data);
};
std::span<const Upcaster> upcasters();
// Applies the steps of `table` from `version` on; returns the version reached. Throws CodecError
// when there is a step and `data` is no object.
int upcast(std::span<const Upcaster> table, std::string_view type, int version,
           nlohmann::json& data);

}  // namespace annolog::codec
