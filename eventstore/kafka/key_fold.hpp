// What the topic of subject keys says, folded in its order.
//
// A record's key is NAME.CANDIDATE, its value a wrapped key, null once it is erased. A name may
// have several candidates, when nodes made a key for it at the same time; the oldest that is not
// erased is its key. The fold depends on nothing but the last record of each record key, which is
// what compaction keeps: whoever reads a compacted topic comes to the same answers.
// Not safe with threads: its owner sees to that. Source: kafka_subject_keys.hpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace annolog::eventstore::kafka {

using TimeMs = std::chrono::milliseconds;  // since 1970

struct KeyRecord {
  std::string_view key;
  std::optional<std::string_view> value;  // absent: erased
  TimeMs time{};
};

inline constexpr std::size_t kCandidateBytes = 16;  // random ones, in a candidate's name
std::string candidate_key(std::string_view name, std::string_view candidate);

struct KeyCandidate {
  std::string record_key;
  std::string wrapped;
};
using KeyCandidates = std::vector<KeyCandidate>;  // oldest first

class KeyFold {
 public:
  // What is not annolog's own form of a key, and what serves to close a segment, counts only by
  // its time.
  void apply(const KeyRecord& record);
  // nullptr: the topic doesn't know the name; empty: erased.
  const KeyCandidates* find(const std::string& name) const;

  // Whether erased bytes lie in a segment that the broker would close, and then clean, if only
  // something were written: it looks at a segment's age (`segment_time`) when it appends.
  bool awaits_append(TimeMs now, std::chrono::milliseconds segment_time) const;

 private:
  std::unordered_map<std::string, KeyCandidates> names_;
  TimeMs newest_{};
  std::optional<TimeMs> erased_at_;  // the newest time up to the last erasure
};

}  // namespace annolog::eventstore::kafka
