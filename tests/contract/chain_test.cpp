// The hash chain: it can be recomputed by anyone, and it breaks when anything is touched.
#include "eventstore/chain.hpp"
#include "eventstore/record_codec.hpp"
#include "tests/contract/log_adapters.hpp"

namespace annolog::eventstore::chain_test {
namespace {

TEST_P(EventLogContract, the_chain_follows_from_the_records_alone) {
  append(*log_, kShard, {"a", "b"});
  append(*log_, kShard, {"c"});
  ChainHasher hasher;
  Hash chain = hasher.genesis(kShard, kShards);
  for (const Record& each : read_all(*log_, kShard)) {
    std::string bytes;
    encode_record(each.headers, each.data, each.last_of_command, bytes);
    chain = hasher.next(chain, bytes);
    EXPECT_EQ(each.chain, chain);
  }
  EXPECT_EQ(log_->verify(kShard, Offset{}, {}).chain, chain);
}

TEST_P(EventLogContract, verification_reports_what_it_did) {
  append(*log_, kShard, {"a", "b", "c"});
  std::vector<Offset> told;
  const VerifyReport report = log_->verify(kShard, Offset{1}, [&](Offset reached, Offset end) {
    told.push_back(reached);
    EXPECT_EQ(end, Offset{3});
  });
  EXPECT_EQ(report.records, 2U);
  EXPECT_EQ(report.end, Offset{3});
  EXPECT_EQ(report.chain, read_all(*log_, kShard).back().chain);
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.back(), Offset{3});
  EXPECT_EQ(log_->verify(ShardId{0}, Offset{}, {}).records, 0U);
}

TEST_P(EventLogContract, an_altered_record_is_named) {
  append(*log_, kShard, {"first", "second", "third"});
  log_.reset();
  // One letter of the data: still a record, with its own chain bytes untouched.
  under_test_->damage({kShard, Offset{2}},
                      [](std::string& stored) { stored[stored.size() - sizeof(Hash) - 1] ^= 1; });
  log_ = under_test_->open_without_checks(kShards);
  EXPECT_NO_THROW(log_->verify(ShardId{0}, Offset{}, {}));
  try {
    log_->verify(kShard, Offset{}, {});
    FAIL() << "verified";
  } catch (const LogCorrupted& damage) {
    EXPECT_EQ(damage.position(), (Position{kShard, Offset{2}}));
    EXPECT_THAT(damage.what(), testing::HasSubstr("shard 1 offset 2"));
  }
}

TEST_P(EventLogContract, an_altered_record_with_a_forged_chain_is_still_found) {
  append(*log_, kShard, {"first", "second", "third"});
  const Hash before = read_all(*log_, kShard)[0].chain;
  log_.reset();
  under_test_->damage({kShard, Offset{2}}, [&](std::string& stored) {
    std::string forged = stored.substr(0, stored.size() - sizeof(Hash));
    forged.back() ^= 1;
    forged += as_bytes(ChainHasher().next(before, forged));
    stored = forged;
  });
  log_ = under_test_->open_without_checks(kShards);
  try {
    log_->verify(kShard, Offset{}, {});
    FAIL() << "verified";
  } catch (const LogCorrupted& damage) {
    EXPECT_EQ(damage.position(), (Position{kShard, Offset{3}}));
  }
}

TEST_P(EventLogContract, bytes_that_are_no_record_are_named_when_read) {
  append(*log_, kShard, {"a", "b", "c"});
  log_.reset();
  under_test_->damage({kShard, Offset{2}}, [](std::string& stored) { stored[0] = 9; });
  log_ = under_test_->open_without_checks(kShards);
  EXPECT_EQ(log_->read(kShard, Offset{}, {.max_records = 1}).size(), 1U);
  try {
    log_->read(kShard, Offset{1}, {});
    FAIL() << "read";
  } catch (const LogCorrupted& damage) {
    EXPECT_EQ(damage.position(), (Position{kShard, Offset{2}}));
  }
}

}  // namespace
}  // namespace annolog::eventstore::chain_test
