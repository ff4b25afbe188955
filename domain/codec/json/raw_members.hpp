// The members of an object as they stand in its text, for who only puts them elsewhere: nothing is
// taken apart, and no text is escaped anew. Of JSON that our own writer made: compact, with names
// that need no escapes. It trusts the content of values but not where they end: what is no object
// throws CodecError. A plain look: valid as long as the text.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include <boost/container/small_vector.hpp>

namespace annolog::codec {

class RawMembers {
 public:
  explicit RawMembers(std::string_view object);

  // The value's text, found at once when members are asked for in their order.
  std::optional<std::string_view> find(std::string_view name);
  std::string_view at(std::string_view name);  // throws CodecError when there is none

 private:
  struct Member {
    std::string_view name;
    std::string_view value;
  };
  boost::container::small_vector<Member, 24> all_;
  std::size_t next_ = 0;
};

}  // namespace annolog::codec
