// How clients name a batch: "{bid}" and "batch_ids" (decisions, section 4).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/describe/class.hpp>

namespace annolog {

// A batch as a client names it: 4161, "B-3" or "B-DEFAULT".
struct BatchRef {
  std::int64_t id = 0;      // by id when not 0
  std::int64_t number = 0;  // else by number when not 0
  std::string text;         // else what was written: B-DEFAULT, or no such batch
  bool operator==(const BatchRef&) const = default;
};
BOOST_DESCRIBE_STRUCT(BatchRef, (), (id, number, text))

inline constexpr std::string_view kDefaultBatch = "B-DEFAULT";
// "B-3" or "B-DEFAULT": neither an id nor what can be no batch.
inline bool is_display_id(const BatchRef& ref) {
  return ref.id == 0 && (ref.number != 0 || ref.text == kDefaultBatch);
}
BatchRef batch_ref_from(std::string_view text);
std::string to_string(const BatchRef& ref);

}  // namespace annolog
