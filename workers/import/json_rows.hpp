// Reads the rows of a JSON document's lists one by one, so that a file of any size costs the memory
// of one row: `annotations` of a COCO document, say. Members of the document that are neither an
// asked-for list nor a scalar are passed over unread. Pure but for the stream; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

#include "domain/support/result.hpp"

namespace annolog::workers {

struct RowLimits {
  int depth = 32;                     // of the document, the row's place in it included
  std::size_t values = 400'000;       // in one row
  std::size_t text_bytes = 4 << 20;   // of one row's texts and names of members together
  std::size_t token_bytes = 1 << 20;  // of one text or number, and of blanks in a row
};

class RowSink {
 public:
  virtual ~RowSink() = default;
  // A scalar of the document itself, e.g. schema_version. False ends the reading.
  virtual bool member(const std::string& name, const nlohmann::json& value) = 0;
  // One of the lists that were asked for begins, perhaps without a row.
  virtual void list(const std::string& name) { static_cast<void>(name); }
  // The row at /<list>/<index>. False ends the reading.
  virtual bool row(const std::string& list, std::size_t index, nlohmann::json row) = 0;
};

// Refuses what is no JSON object, a list that is none, and what passes the limits: 422
// INVALID_DOCUMENT whose message names the byte. Ends early, without a refusal, when the sink says.
Result<void> read_rows(std::istream& document, const std::set<std::string>& lists, RowSink& sink,
                       const RowLimits& limits = {});

}  // namespace annolog::workers
