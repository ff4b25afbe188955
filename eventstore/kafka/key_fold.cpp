#include "eventstore/kafka/key_fold.hpp"

#include <sodium.h>

#include <algorithm>

namespace annolog::eventstore::kafka {
namespace {

constexpr char kSeparator = '.';

void forget(KeyCandidates& candidates, std::string_view record_key) {
  const auto found = std::find_if(candidates.begin(), candidates.end(),
                                  [&](const auto& each) { return each.record_key == record_key; });
  if (found == candidates.end()) return;
  sodium_memzero(found->wrapped.data(), found->wrapped.size());
  candidates.erase(found);
}

}  // namespace

std::string candidate_key(std::string_view name, std::string_view candidate) {
  return std::string(name).append(1, kSeparator).append(candidate);
}

void KeyFold::apply(const KeyRecord& record) {
  newest_ = std::max(newest_, record.time);
  const std::size_t separator = record.key.rfind(kSeparator);
  if (separator == std::string_view::npos) return;
  KeyCandidates& candidates = names_[std::string(record.key.substr(0, separator))];
  // Should a key be written twice, its last place counts, as after compaction.
  forget(candidates, record.key);
  if (record.value) {
    candidates.push_back({std::string(record.key), std::string(*record.value)});
  } else {
    erased_at_ = newest_;
  }
}

const KeyCandidates* KeyFold::find(const std::string& name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? nullptr : &found->second;
}

bool KeyFold::awaits_append(TimeMs now, std::chrono::milliseconds segment_time) const {
  if (!erased_at_) return false;
  const TimeMs due = *erased_at_ + segment_time;
  return newest_ <= due && now > due;
}

}  // namespace annolog::eventstore::kafka
