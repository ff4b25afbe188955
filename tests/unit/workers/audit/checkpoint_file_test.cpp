// Checkpoints are checked one after the other, whatever form they are in.
#include "workers/audit/checkpoint_file.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "domain/codec/domain_json.hpp"
#include "platform/encoding.hpp"
#include "tests/unit/workers/audit/audit_samples.hpp"
#include "workers/audit/gzip.hpp"

namespace annolog::workers::testing::checkpoint_file_test {
namespace {

class CheckpointFileTest : public ::testing::Test {
 protected:
  // A chain of so many.
  std::vector<SignedStatement> chain(std::int64_t count) const {
    std::vector<SignedStatement> made;
    std::string previous(kNoDigest);
    for (std::int64_t number = 1; number <= count; ++number) {
      Checkpoint one;
      one.log_id = kLogId;
      one.number = number;
      one.at = Timestamp{number * 60'000};
      one.previous = previous;
      one.heads = {{0, number * 10, std::string(64, 'a')}};
      made.push_back(keys_.signer.sign(codec::to_json_text(one)));
      previous = hex_digest(made.back().statement);
    }
    return made;
  }
  std::filesystem::path written(const std::string& text) const {
    const auto file = dir_.path() / "checkpoints";
    platform::write_file_atomically(file, text);
    return file;
  }
  CheckpointsRead read(const std::string& text) {
    faults_.clear();
    return read_checkpoints(written(text), keys_.known(),
                            [&](const std::string& fault) { faults_.push_back(fault); });
  }
  static std::string lines(const std::vector<SignedStatement>& of) {
    std::string text;
    for (const auto& one : of) text += codec::to_json_text(one) + "\n";
    return text;
  }

  AuditKeys keys_;
  platform::TempDir dir_;
  std::vector<std::string> faults_;
};

TEST_F(CheckpointFileTest, a_chain_holds) {
  const auto found = read(lines(chain(3)));
  EXPECT_EQ(found.faults, 0);
  ASSERT_EQ(found.checkpoints.size(), 3U);
  EXPECT_EQ(found.checkpoints.back().heads.front().position, 30);
}

TEST_F(CheckpointFileTest, one_answer_and_a_page_of_the_service_are_read_too) {
  const auto made = chain(2);
  const auto answer = [](const SignedStatement& of, int number) {
    return nlohmann::json{{"number", number},
                          {"at", to_rfc3339(Timestamp{number * 60'000})},
                          {"statement", of.statement},
                          {"key_id", of.key_id},
                          {"signature", of.signature}};
  };
  EXPECT_EQ(read(answer(made[0], 1).dump()).checkpoints.size(), 1U);
  EXPECT_EQ(read(answer(made[0], 2).dump()).faults, 1);  // its statement says 1
  auto more = answer(made[0], 1);
  more["note"] = "not signed";
  EXPECT_EQ(read(more.dump()).faults, 1);
  const nlohmann::json page{{"items", {answer(made[1], 2), answer(made[0], 1)}},
                            {"next_cursor", nullptr}};
  const auto found = read(page.dump());
  EXPECT_EQ(found.faults, 0);
  EXPECT_EQ(found.checkpoints.size(), 2U);
}

TEST_F(CheckpointFileTest, some_may_be_missing_but_none_may_be_exchanged) {
  auto made = chain(4);
  made.erase(made.begin() + 1);
  EXPECT_EQ(read(lines(made)).faults, 0);
  std::swap(made[0], made[1]);
  EXPECT_GT(read(lines(made)).faults, 0);
}

TEST_F(CheckpointFileTest, one_that_does_not_follow_the_one_before_it_is_named) {
  auto made = chain(2);
  Checkpoint other;
  other.log_id = kLogId;
  other.number = 2;
  other.previous = std::string(64, '1');
  other.heads = {{0, 20, std::string(64, 'a')}};
  made[1] = keys_.signer.sign(codec::to_json_text(other));
  EXPECT_EQ(read(lines(made)).faults, 1);
  EXPECT_EQ(faults_, std::vector<std::string>{"line 2: checkpoint 2 does not follow checkpoint 1"});
}

TEST_F(CheckpointFileTest, an_altered_one_and_a_foreign_key_are_named) {
  auto altered = chain(1);
  altered[0].statement.replace(altered[0].statement.find("10"), 2, "11");
  EXPECT_EQ(read(lines(altered)).faults, 1);
  const AuditKeys others;
  auto foreign = chain(1);
  foreign[0] = others.signer.sign(foreign[0].statement);
  const auto found = read(lines(foreign));
  EXPECT_TRUE(found.is_unchecked);
  EXPECT_EQ(found.faults, 0);
  EXPECT_TRUE(found.checkpoints.empty());
  EXPECT_EQ(faults_.size(), 1U);
}

// Whoever has the key can sign two histories; they can't both be of one log.
TEST_F(CheckpointFileTest, what_was_signed_before_may_not_be_gone_or_another) {
  const auto made = chain(1);
  Checkpoint second;
  second.log_id = kLogId;
  second.number = 2;
  second.at = Timestamp{120'000};
  second.previous = hex_digest(made[0].statement);
  const auto faults_with = [&](std::vector<LogHead> heads) {
    second.heads = std::move(heads);
    return read(lines({made[0], keys_.signer.sign(codec::to_json_text(second))})).faults;
  };
  const std::string chain_of_first(64, 'a');
  const std::string other(64, 'b');
  EXPECT_EQ(faults_with({{0, 10, chain_of_first}, {1, 1, other}}), 0);
  EXPECT_EQ(faults_with({{0, 11, other}}), 0);
  EXPECT_EQ(faults_with({{0, 9, chain_of_first}}), 1);
  EXPECT_EQ(faults_with({{0, 10, other}}), 1);
  EXPECT_EQ(faults_with({{1, 10, chain_of_first}}), 1);
  EXPECT_EQ(faults_, std::vector<std::string>{
                         "line 2: checkpoint 2 contradicts checkpoint 1: a log only grows"});
}

TEST_F(CheckpointFileTest, rows_may_be_fewer_for_a_while_but_no_others) {
  Checkpoint first;
  first.log_id = kLogId;
  first.number = 1;
  first.previous = kNoDigest;
  first.audit = {{0, 0, 5, std::string(64, 'a')}};
  const auto signed_first = keys_.signer.sign(codec::to_json_text(first));
  const auto faults_with = [&](std::vector<AuditEnd> audit) {
    Checkpoint second = first;
    second.number = 2;
    second.previous = hex_digest(signed_first.statement);
    second.audit = std::move(audit);
    return read(lines({signed_first, keys_.signer.sign(codec::to_json_text(second))})).faults;
  };
  EXPECT_EQ(faults_with({}), 0);  // the read models are being made anew
  EXPECT_EQ(faults_with({{0, 0, 2, std::string(64, 'b')}}), 0);
  EXPECT_EQ(faults_with({{0, 0, 6, std::string(64, 'b')}}), 0);
  EXPECT_EQ(faults_with({{0, 0, 5, std::string(64, 'a')}}), 0);
  EXPECT_EQ(faults_with({{0, 0, 5, std::string(64, 'b')}}), 1);
}

TEST_F(CheckpointFileTest, a_line_says_nothing_beside_what_is_signed) {
  const std::string line = codec::to_json_text(chain(1)[0]);
  const std::string rest = line.substr(1) + "\n";
  EXPECT_EQ(read("{\"note\":1," + rest).faults, 1);
  EXPECT_EQ(read("{\"statement\":\"x\"," + rest).faults, 1);
}

TEST_F(CheckpointFileTest, what_else_was_signed_is_no_checkpoint) {
  const auto header = keys_.signer.sign(codec::to_json_text(AuditFileHeader{}));
  EXPECT_EQ(read(lines({header})).faults, 1);
}

TEST_F(CheckpointFileTest, an_empty_file_is_an_error) {
  EXPECT_THROW(read(""), std::runtime_error);
}

TEST_F(CheckpointFileTest, keys_are_read_as_pem_and_as_json) {
  const auto key = keys_.signer.public_key();
  const auto made = chain(1).front();
  EXPECT_TRUE(read_public_keys(written(platform::to_pem(key))).hold_for(made));
  const nlohmann::json jwk{{"kty", "OKP"},
                           {"crv", "Ed25519"},
                           {"x", platform::to_base64url(platform::as_bytes_view(key))}};
  EXPECT_TRUE(read_public_keys(written(jwk.dump())).hold_for(made));
  const nlohmann::json set{{"keys", {jwk}}};
  EXPECT_TRUE(read_public_keys(written(set.dump())).hold_for(made));
  EXPECT_THROW(read_public_keys(written("{}")), std::runtime_error);
  EXPECT_THROW(read_public_keys(written(R"({"keys":[]})")), std::runtime_error);
}

TEST_F(CheckpointFileTest, lines_come_out_of_gzip_as_they_went_in) {
  std::string bytes;
  GzipWriter gzip([&](std::string_view piece) { bytes += piece; });
  for (int i = 0; i < 10'000; ++i) gzip.write("line " + std::to_string(i) + "\n");
  gzip.write("no break");
  gzip.finish();
  EXPECT_LT(bytes.size(), 50'000U);
  for (const std::size_t cut : {std::size_t{0}, bytes.size() / 2}) {
    const auto file = written(bytes.substr(0, bytes.size() - cut));
    std::vector<std::string> read;
    const auto take = [&](std::string_view line) {
      read.emplace_back(line);
      return true;
    };
    if (cut > 0) {
      EXPECT_THROW(each_line(file, 100, take), std::runtime_error);
      continue;
    }
    each_line(file, 100, take);
    ASSERT_EQ(read.size(), 10'001U);
    EXPECT_EQ(read[9'999], "line 9999");
    EXPECT_EQ(read.back(), "no break");
    EXPECT_THROW(each_line(file, 5, take), std::runtime_error);
  }
}

}  // namespace
}  // namespace annolog::workers::testing::checkpoint_file_test
