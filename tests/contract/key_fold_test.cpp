// The topic of subject keys, folded: the same whatever compaction has removed.
#include "eventstore/kafka/key_fold.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "eventstore/kafka/key_wrapping.hpp"

namespace annolog::eventstore::kafka::key_fold_test {
namespace {

struct Stored {
  std::string key;
  std::optional<std::string> value;
};

KeyFold fold(const std::vector<Stored>& records) {
  KeyFold fold;
  for (const Stored& each : records) fold.apply({each.key, each.value});
  return fold;
}

std::string key_of(const KeyFold& fold, const std::string& name) {
  const KeyCandidates* candidates = fold.find(name);
  return candidates == nullptr || candidates->empty() ? "none" : candidates->front().record_key;
}

const std::vector<std::string> kNames{"a", "b", "c"};

// What nodes may write: a fresh candidate, and tombstones of any.
std::vector<Stored> random_history(std::mt19937& random) {
  std::vector<Stored> records;
  std::vector<std::string> made;
  for (int i = 0; i < 30; ++i) {
    if (made.empty() || random() % 3 != 0) {
      made.push_back(candidate_key(kNames[random() % kNames.size()], std::to_string(i)));
      records.push_back({made.back(), "value"});
    } else {
      records.push_back({made[random() % made.size()], std::nullopt});
    }
  }
  return records;
}

// The last record of each key; of the tombstones, perhaps none.
std::vector<Stored> compacted(const std::vector<Stored>& records, bool with_tombstones) {
  std::map<std::string, std::size_t> last;
  for (std::size_t i = 0; i < records.size(); ++i) last[records[i].key] = i;
  std::vector<Stored> kept;
  for (std::size_t i = 0; i < records.size(); ++i)
    if (last[records[i].key] == i && (with_tombstones || records[i].value))
      kept.push_back(records[i]);
  return kept;
}

TEST(KeyFold, compaction_of_any_part_changes_no_key) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    const std::vector<Stored> all = random_history(random);
    const KeyFold whole = fold(all);
    const auto cut = static_cast<std::ptrdiff_t>(random() % all.size());
    for (const bool with_tombstones : {true, false}) {
      std::vector<Stored> kept = compacted({all.begin(), all.begin() + cut}, with_tombstones);
      kept.insert(kept.end(), all.begin() + cut, all.end());
      const KeyFold of_kept = fold(kept);
      for (const std::string& name : kNames) EXPECT_EQ(key_of(of_kept, name), key_of(whole, name));
    }
  }
}

TEST(KeyFold, a_key_once_seen_stays_until_it_is_erased) {
  std::mt19937 random(8);
  for (int round = 0; round < 500; ++round) {
    std::map<std::string, std::string> seen;
    KeyFold fold;
    for (const Stored& each : random_history(random)) {
      fold.apply({each.key, each.value});
      for (const std::string& name : kNames) {
        const std::string now = key_of(fold, name);
        if (!seen.contains(name)) seen[name] = "none";
        const bool was_erased = !each.value && each.key == seen[name];
        if (seen[name] != "none" && !was_erased) {
          EXPECT_EQ(now, seen[name]);
        }
        seen[name] = now;
      }
    }
  }
}

TEST(KeyFold, a_name_is_unknown_then_known_then_erased) {
  KeyFold fold;
  EXPECT_EQ(fold.find("a"), nullptr);
  fold.apply({"a.1", "value"});
  ASSERT_NE(fold.find("a"), nullptr);
  EXPECT_EQ(fold.find("a")->front().wrapped, "value");
  fold.apply({"a.1", std::nullopt});
  ASSERT_NE(fold.find("a"), nullptr);
  EXPECT_TRUE(fold.find("a")->empty());
}

TEST(KeyFold, erased_bytes_await_an_append_until_one_came_late_enough) {
  constexpr std::chrono::milliseconds kSegmentTime{100};
  KeyFold fold;
  fold.apply({"a.1", "value", TimeMs(1000)});
  EXPECT_FALSE(fold.awaits_append(TimeMs(9000), kSegmentTime)) << "nothing was erased";
  fold.apply({"a.1", std::nullopt, TimeMs(900)});  // by a clock that is behind
  EXPECT_FALSE(fold.awaits_append(TimeMs(1100), kSegmentTime));
  EXPECT_TRUE(fold.awaits_append(TimeMs(1101), kSegmentTime));
  fold.apply({"b.1", "value", TimeMs(1100)});
  EXPECT_TRUE(fold.awaits_append(TimeMs(1101), kSegmentTime)) << "the segment was still young";
  fold.apply({"close-segment", "1", TimeMs(1101)});
  EXPECT_FALSE(fold.awaits_append(TimeMs(9000), kSegmentTime));
}

TEST(KeyWrapping, a_key_comes_back_only_under_the_same_keys_and_unchanged) {
  const SubjectKey key = random_subject_key();
  const KeyWrapping wrapping(SubjectKey{1});
  const std::string wrapped = wrapping.wrap("a.1", key);
  EXPECT_EQ(wrapping.unwrap("a.1", wrapped), key);
  EXPECT_EQ(wrapping.unwrap("a.2", wrapped), std::nullopt);
  EXPECT_EQ(KeyWrapping(SubjectKey{2}).unwrap("a.1", wrapped), std::nullopt);
  EXPECT_EQ(wrapping.unwrap("a.1", wrapped.substr(1)), std::nullopt);
  EXPECT_EQ(wrapping.unwrap("a.1", ""), std::nullopt);
  for (std::size_t i = 0; i < wrapped.size(); ++i) {
    std::string changed = wrapped;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_EQ(wrapping.unwrap("a.1", changed), std::nullopt) << "byte " << i;
  }
  EXPECT_NE(wrapping.wrap("a.1", key), wrapped) << "the nonce is random";
}

}  // namespace
}  // namespace annolog::eventstore::kafka::key_fold_test
