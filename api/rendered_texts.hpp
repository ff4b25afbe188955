// What lists show, in JSON, kept for the next list that shows the same state of it. A text is used
// again only for the same version of the thing, the same names of people (a number that changes
// with them) and before its end, if it has one. Any thread; bounded by the texts' bytes: those not
// used for longest go, half of them at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "domain/support/timestamp.hpp"

namespace annolog::api {

class RenderedTexts {
 public:
  struct Key {
    std::int64_t id = 0;
    std::int64_t version = 0;  // of one version there is one content; 0: it never changes
  };

  explicit RenderedTexts(std::size_t bytes_max) : half_bytes_max_(bytes_max / 2) {}

  // Appends the texts of all with commas between them; none, and nothing appended, when one is not
  // here. The answer is where the last of them stands in its list, as put() was told.
  std::optional<Timestamp> append_all(std::span<const Key> keys, std::uint64_t names, Timestamp now,
                                      std::string& out);
  // `names`: what held before the text was made. `until`: it is no longer true from then on.
  // `place`: where the thing stands in its list.
  void put(Key key, std::uint64_t names, std::optional<Timestamp> until, std::string text,
           Timestamp place);

 private:
  struct Entry {
    std::int64_t version;
    std::uint64_t names;
    std::optional<Timestamp> until;
    std::string text;
    Timestamp place;
  };
  using Entries = std::unordered_map<std::int64_t, Entry>;

  // `dropped`: what goes, to be freed when nobody waits for it any more.
  const Entry* find(std::int64_t id, Entries& dropped);
  void keep(std::int64_t id, Entry entry, Entries& dropped);

  std::mutex mutex_;
  const std::size_t half_bytes_max_;
  Entries young_;  // used since the last change of halves
  Entries old_;
  std::size_t young_bytes_ = 0;
};

}  // namespace annolog::api
