// Whatever is done to an audit export is found with nothing but the public key, and named.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/unit/workers/audit/audit_samples.hpp"

namespace annolog::workers::testing::audit_check_test {
namespace {

using nlohmann::json;

std::vector<AuditFileRow> rows_of(AuditShards& shards, std::initializer_list<std::int64_t> of) {
  std::vector<AuditFileRow> rows;
  for (const std::int64_t shard : of) rows.push_back(shards.add(shard));
  return rows;
}

// Three rows of shard 0 and two of shard 5, by turns: lines 2 to 6.
class AuditCheckTest : public ::testing::TestWithParam<AuditFraming> {
 protected:
  AuditCheckTest() { rows_ = rows_of(shards_, {0, 5, 0, 5, 0}); }

  Lines made(AuditScope scope = {}) const {
    return file_of(rows_, shards_.ends(), keys_.signer, {GetParam(), std::move(scope)});
  }
  std::vector<AuditFault> faults(const Lines& lines) const {
    return faults_in(lines, keys_.known());
  }
  bool is_found(const Lines& lines, std::int64_t line) const {
    return std::ranges::any_of(faults(lines), [&](const auto& f) { return f.line == line; });
  }

  std::vector<std::string> told(const Lines& lines,
                                const std::vector<Checkpoint>& checkpoints = {}) const {
    std::vector<std::string> texts;
    for (const auto& fault : faults_in(lines, keys_.known(), checkpoints))
      texts.push_back(to_text(fault));
    return texts;
  }
  // Of a file with some rows of shard 0 alone.
  std::vector<std::string> told(std::initializer_list<std::int64_t> of, Timestamp at,
                                AuditScope scope, const std::vector<Checkpoint>& checkpoints,
                                const std::string& minute = "08:00") const {
    AuditShards shards(minute);
    const auto rows = rows_of(shards, of);
    const Made how{GetParam(), std::move(scope), at};
    return told(file_of(rows, shards.ends(), keys_.signer, how), checkpoints);
  }
  // Names all rows: shard 0 to number 3, shard 5 to number 2.
  Checkpoint older_checkpoint() const {
    Checkpoint older;
    older.log_id = kLogId;
    older.at = *from_rfc3339("2026-11-24T08:10:00Z");
    older.audit = shards_.ends();
    return older;
  }

  AuditKeys keys_;
  AuditShards shards_;
  std::vector<AuditFileRow> rows_;
};

INSTANTIATE_TEST_SUITE_P(Framings, AuditCheckTest,
                         ::testing::Values(AuditFraming::ndjson, AuditFraming::document));

TEST_P(AuditCheckTest, what_is_whole_holds) {
  EXPECT_EQ(faults(made()), std::vector<AuditFault>{});
  EXPECT_EQ(faults_in(made(), std::nullopt), std::vector<AuditFault>{});
}

TEST_P(AuditCheckTest, one_without_rows_holds) {
  EXPECT_EQ(faults(file_of({}, {}, keys_.signer, {GetParam()})), std::vector<AuditFault>{});
}

TEST_P(AuditCheckTest, a_document_is_one_json_value) {
  if (GetParam() != AuditFraming::document) return;
  std::string text;
  for (const auto& line : made()) text += line + "\n";
  const json document = json::parse(text);
  EXPECT_EQ(document.at("rows").size(), rows_.size());
  EXPECT_EQ(document.at("rows").at(1).at("shard"), 5);
  std::string empty;
  for (const auto& line : file_of({}, {}, keys_.signer, {GetParam()})) empty += line + "\n";
  EXPECT_TRUE(json::parse(empty).at("rows").empty());
}

// Every byte of a file, one after the other; a short one, as it is read anew for each.
TEST_P(AuditCheckTest, one_flipped_byte_anywhere_is_named) {
  AuditShards shards;
  const auto rows = rows_of(shards, {0, 5, 0});
  const Lines whole = file_of(rows, shards.ends(), keys_.signer, {GetParam()});
  ASSERT_EQ(faults(whole), std::vector<AuditFault>{});
  for (std::size_t line = 0; line < whole.size(); ++line) {
    for (std::size_t at = 0; at < whole[line].size(); ++at) {
      Lines lines = whole;
      lines[line][at] = static_cast<char>(lines[line][at] ^ 0x01);
      const auto wanted = static_cast<std::int64_t>(line) + 1;
      ASSERT_TRUE(is_found(lines, wanted))
          << "line " << wanted << ", byte " << at << " of " << whole[line];
    }
  }
}

TEST_P(AuditCheckTest, a_dropped_row_is_named) {
  // Row: which line is dropped, and at which line that is seen.
  const std::pair<std::size_t, std::int64_t> cases[] = {{1, 2}, {3, 4}, {5, 6}};
  for (const auto& [dropped, seen] : cases) {
    Lines lines = made();
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(dropped));
    EXPECT_TRUE(is_found(lines, seen)) << dropped;
  }
}

TEST_P(AuditCheckTest, swapped_doubled_and_added_rows_are_named) {
  Lines swapped = made();
  std::swap(swapped[1], swapped[3]);
  EXPECT_TRUE(is_found(swapped, 2));
  Lines doubled = made();
  doubled.insert(doubled.begin() + 3, doubled[3]);
  EXPECT_TRUE(is_found(doubled, 5));
  Lines added = made();
  added.push_back(added[3]);
  EXPECT_TRUE(is_found(added, 8));
}

TEST_P(AuditCheckTest, a_file_that_is_cut_off_is_told) {
  Lines cut = made();
  cut.pop_back();
  const auto found = faults(cut);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found.front().what.find("cut off"), std::string::npos);
  EXPECT_EQ(faults({}).size(), 1U);
}

TEST_P(AuditCheckTest, members_of_another_kind_are_no_more_than_faults) {
  for (const char* bad : {"5", "null", "[]", "{}"}) {
    for (const std::string member : {R"(\"request_id\":\"r-1\")", R"(\"detail\":{})"}) {
      Lines lines = made();
      const auto at = lines[2].find(member);
      ASSERT_NE(at, std::string::npos);
      const auto name = member.substr(0, member.find(':') + 1);
      if (name + bad == member) continue;
      lines[2].replace(at, member.size(), name + bad);
      EXPECT_TRUE(is_found(lines, 3)) << name << bad;
    }
  }
}

TEST_P(AuditCheckTest, commas_stand_where_json_has_them) {
  if (GetParam() != AuditFraming::document) return;
  Lines missing = made();
  missing[2].pop_back();
  EXPECT_TRUE(is_found(missing, 4));
  Lines more = made();
  more[more.size() - 2] += ',';
  EXPECT_TRUE(is_found(more, static_cast<std::int64_t>(more.size())));
}

// Who has all but the key can make every seal fit again.
TEST_P(AuditCheckTest, a_file_that_was_made_anew_has_no_signature) {
  const AuditKeys others;
  const Lines forged = file_of(rows_, shards_.ends(), others.signer, {GetParam()});
  EXPECT_TRUE(is_found(forged, 1));
  EXPECT_TRUE(is_found(forged, static_cast<std::int64_t>(forged.size())));
}

// The service's own key, but not the service's rows: the shards' own chains tell.
TEST_P(AuditCheckTest, the_rows_own_chain_tells_what_was_left_out_or_altered) {
  auto dropped = rows_;
  dropped.erase(dropped.begin() + 2);  // shard 0, number 2
  const auto missing = faults(file_of(dropped, shards_.ends(), keys_.signer, {GetParam()}));
  ASSERT_FALSE(missing.empty());
  EXPECT_EQ(to_text(missing.front()), "line 5 (shard 0, number 3): number 2 is missing before it");

  auto altered = rows_;
  altered[2].record.replace(altered[2].record.find("reject\""), 7, "accept\"");
  const auto found = faults(file_of(altered, shards_.ends(), keys_.signer, {GetParam()}));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(to_text(found.front()),
            "line 4 (shard 0, number 2): its record is not the one that number 3 follows");

  auto last = rows_;
  last[4].record.replace(last[4].record.find("reject\""), 7, "accept\"");
  const auto at_end = faults(file_of(last, shards_.ends(), keys_.signer, {GetParam()}));
  ASSERT_FALSE(at_end.empty());
  EXPECT_EQ(at_end.front().line, 6);

  auto cut = rows_;
  cut.pop_back();
  EXPECT_FALSE(faults(file_of(cut, shards_.ends(), keys_.signer, {GetParam()})).empty());
  auto first = rows_;
  first.erase(first.begin());
  EXPECT_FALSE(faults(file_of(first, shards_.ends(), keys_.signer, {GetParam()})).empty());
}

TEST_P(AuditCheckTest, of_a_time_the_rows_are_whole_too) {
  auto later = rows_;
  later.erase(later.begin());  // shard 0, number 1
  auto ends = shards_.ends();
  ends.front().after = 1;
  const AuditScope scope{.from = Timestamp{1}};
  EXPECT_TRUE(faults(file_of(later, ends, keys_.signer, {GetParam(), scope})).empty());
  later.erase(later.begin() + 1);  // shard 0, number 2
  EXPECT_FALSE(faults(file_of(later, ends, keys_.signer, {GetParam(), scope})).empty());
}

// Whoever has the key can sign that the file begins later; there is no time that it begins at.
TEST_P(AuditCheckTest, rows_that_are_left_out_at_the_front_are_named) {
  auto later = rows_;
  later.erase(later.begin());  // shard 0, number 1
  auto ends = shards_.ends();
  ends.front().after = 1;
  const std::vector<std::string> missing{
      "file (shard 0, number 1): number 1 is missing: the rows begin behind 1"};
  EXPECT_EQ(told(file_of(later, ends, keys_.signer, {GetParam()})), missing);
  auto none = rows_;
  std::erase_if(none, [](const auto& row) { return row.id % kAuditIdShards == 0; });
  ends.front().after = ends.front().number;
  EXPECT_FALSE(told(file_of(none, ends, keys_.signer, {GetParam()})).empty());
}

// What a checkpoint had not seen when the file's time began is in the file.
TEST_P(AuditCheckTest, a_file_that_begins_too_late_is_found_by_a_checkpoint) {
  auto later = rows_;
  later.erase(later.begin());
  auto ends = shards_.ends();
  ends.front().after = 1;
  const AuditScope scope{.from = *from_rfc3339("2026-11-24T08:00:00Z")};
  const Lines file = file_of(later, ends, keys_.signer, {GetParam(), scope});
  Checkpoint seen;
  seen.log_id = kLogId;
  seen.at = *scope.from + 700'000;
  EXPECT_EQ(told(file, {seen}),
            std::vector<std::string>{
                "file (shard 0, number 1): number 1 is missing: the rows begin behind 1"});
  Checkpoint before = seen;
  before.at = *scope.from + -60'000;
  before.audit = {{0, 0, 1, hex_digest(rows_[0].record)}};
  EXPECT_TRUE(told(file, {before, seen}).empty());  // read models made anew had seen less again
  seen.audit = before.audit;
  EXPECT_TRUE(told(file, {seen}).empty());
}

TEST_P(AuditCheckTest, a_header_that_counts_backwards_is_named_and_nothing_else_of_it_read) {
  const std::vector<AuditEnd> ends{{3, 9, 2, std::string(64, 'a')}};
  EXPECT_EQ(told(file_of({}, ends, keys_.signer, {GetParam()})),
            std::vector<std::string>{"file (shard 3, number 2): the header counts from 9 to 2"});
}

TEST_P(AuditCheckTest, rows_that_are_not_of_the_headers_scope_are_named) {
  const Timestamp begins = *from_rfc3339("2026-11-24T08:00:02Z");
  const std::pair<AuditScope, const char*> scopes[] = {
      {{.actor_id = UserId{8}}, "actor_id"},        {{.action = "task.skip"}, "action"},
      {{.target_type = "batch"}, "target_type"},    {{.target_id = 8}, "target_id"},
      {{.project_id = ProjectId{4}}, "project_id"}, {{.status_code = 201}, "status_code"},
      {{.from = begins + 60'000}, "created_at"},    {{.to = begins + -60'000}, "created_at"}};
  for (const auto& [scope, name] : scopes) {
    const auto found = told(made(scope));
    ASSERT_EQ(found.size(), rows_.size()) << name;
    EXPECT_EQ(found.front(), "line 2 (shard 0, number 1): it is none of the file's: \"" +
                                 std::string(name) + "\" is not what the header's scope says");
  }
  const AuditScope all{UserId{7},    "task.reject", "task",           9,
                       ProjectId{3}, 200,           begins + -60'000, begins + 60'000};
  EXPECT_TRUE(told(made(all)).empty());
}

TEST_P(AuditCheckTest, a_key_that_is_not_given_is_no_damage_but_leaves_the_file_unchecked) {
  const AuditKeys others;
  std::vector<std::string> texts;
  AuditCheck check(others.known(), {}, [&](const AuditFault& f) { texts.push_back(to_text(f)); });
  for (const std::string& line : made()) check.add_line(line);
  check.finish();
  EXPECT_TRUE(check.is_sound());
  EXPECT_TRUE(check.is_unchecked());
  ASSERT_EQ(texts.size(), 2U);
  EXPECT_TRUE(texts.front().starts_with("line 1: the header is signed with key "));
  EXPECT_TRUE(texts.back().starts_with("line 7: the end is signed with key "));
}

TEST_P(AuditCheckTest, of_a_filter_gaps_are_no_fault_but_other_orders_are) {
  auto some = rows_;
  some.erase(some.begin() + 2);
  const AuditScope scope{.actor_id = UserId{7}};
  EXPECT_TRUE(faults(file_of(some, shards_.ends(), keys_.signer, {GetParam(), scope})).empty());
  std::swap(some[0], some[3]);
  EXPECT_FALSE(faults(file_of(some, shards_.ends(), keys_.signer, {GetParam(), scope})).empty());
}

TEST_P(AuditCheckTest, an_older_checkpoint_finds_what_was_rewritten_since) {
  Checkpoint older;
  older.log_id = kLogId;
  older.audit = {{0, 0, 2, hex_digest(rows_[2].record)}};
  EXPECT_TRUE(faults_in(made(), keys_.known(), {older}).empty());
  older.audit.front().digest = hex_digest("another record");
  const auto found = faults_in(made(), keys_.known(), {older});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(to_text(found.front()),
            "line 4 (shard 0, number 2): its record is not the one that the checkpoint signed");
  older.log_id = "another";
  EXPECT_FALSE(faults_in(made(), keys_.known(), {older}).empty());
}

// Who rules the database can drop the last rows; what the service signs then ends early.
TEST_P(AuditCheckTest, an_older_checkpoint_finds_last_rows_that_are_gone) {
  const Checkpoint older = older_checkpoint();
  const auto found = [&](Timestamp at, AuditScope scope) {
    return told({0, 0}, at, std::move(scope), {older});
  };
  const std::vector<std::string> both{
      "file (shard 0, number 3): the rows end with number 2, a checkpoint signed 3",
      "file (shard 5, number 2): the rows end with number 0, a checkpoint signed 2"};
  const Timestamp later = older.at + 60'000;
  EXPECT_EQ(found(later, {}), both);
  EXPECT_EQ(found(later, {.actor_id = UserId{7}}), both);
  EXPECT_EQ(found(later, {.to = later}), both);
  // Up to a time before the checkpoint, or made before it: the rows may well end there.
  EXPECT_TRUE(found(later, {.to = older.at}).empty());
  EXPECT_TRUE(found(older.at, {}).empty());
}

// A shard that was quiet since the file begins has no row in it, however many it had before.
TEST_P(AuditCheckTest, a_shard_may_have_had_all_its_rows_before_the_file_begins) {
  AuditShards shards("08:15");
  rows_of(shards, {0, 5, 0, 5, 0});
  Checkpoint older = older_checkpoint();
  older.audit = shards.ends();
  const auto found = [&](Timestamp from, const std::vector<Checkpoint>& checkpoints) {
    return told({0, 0, 0}, older.at + 1'200'000, {.from = from}, checkpoints, "08:15");
  };
  const Timestamp begins = older.at + -660'000;
  EXPECT_TRUE(found(begins, {older}).empty());
  // One that was signed after the file begins tells where its rows go on.
  Checkpoint later = older;
  later.at = older.at + 900'000;
  later.audit.back().number = 4;
  EXPECT_EQ(found(begins, {older, later}),
            std::vector<std::string>{"file (shard 5, number 4): the rows end with number 2, "
                                     "a checkpoint signed 4"});
  EXPECT_TRUE(found(older.at, {older, later}).empty());
}

TEST_P(AuditCheckTest, a_person_who_was_erased_changes_nothing) {
  for (auto& row : rows_) {
    row.ip.reset();
    row.actor_email.reset();
  }
  EXPECT_TRUE(faults(made()).empty());
}

TEST(AuditFile, a_line_has_what_its_record_says_but_what_is_sealed) {
  AuditShards shards;
  AuditFileRow row = shards.add(5);
  row.actor_email = "a@example.org";
  const json line = json::parse(row_text(row) + "}");
  EXPECT_EQ(line.at("shard"), 5);
  EXPECT_EQ(line.at("number"), 1);
  EXPECT_EQ(line.at("ip"), "192.0.2.7");
  EXPECT_FALSE(line.at("detail_json").contains("user_agent"));
  EXPECT_EQ(line.at("detail_json").at("request_id"), "r-1");
  EXPECT_EQ(line.at("actor_email"), "a@example.org");
  EXPECT_EQ(line.at("record"), row.record);
  EXPECT_FALSE(line.contains("origin"));
  EXPECT_FALSE(line.contains("previous"));
  EXPECT_FALSE(line.contains("request_id"));
}

}  // namespace
}  // namespace annolog::workers::testing::audit_check_test
