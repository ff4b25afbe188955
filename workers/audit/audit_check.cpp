#include "workers/audit/audit_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "domain/codec/domain_json.hpp"

namespace annolog::workers {
namespace {

using nlohmann::json;

// One of these at most; a file that is damaged all over would fill a disk with faults.
constexpr std::int64_t kFaultsTold = 100;

template <class T>
std::optional<T> statement_of(const SignedStatement& of) {
  try {
    auto read = codec::from_json_text<T>(of.statement);
    if (read.format != T::kFormat) return std::nullopt;
    return read;
  } catch (const codec::CodecError&) {
    return std::nullopt;
  }
}

// By how much the clocks of the processes may differ that signed a checkpoint, a file and its rows.
constexpr std::int64_t kClocksDifferMs = 10'000;
// By how much the rows that a checkpoint names may lie behind its time: they are the read models'.
constexpr std::int64_t kRowsBehindMs = 600'000;

// What a file may nest: comparing goes down as deep as it does.
constexpr int kDeepest = 32;

json parsed(std::string_view text) {
  bool too_deep = false;
  json read = json::parse(
      text,
      [&](int depth, json::parse_event_t, json&) {
        too_deep = too_deep || depth > kDeepest;
        return !too_deep;
      },
      false);
  return too_deep ? json() : read;
}

std::optional<std::int64_t> whole(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<std::int64_t>();
}

std::optional<std::string> text(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

bool is_repeated(const std::string& name) {
  return std::ranges::find(kUnrepeated, name) == std::end(kUnrepeated);
}

// What a line has beside the record's members.
bool is_of_line(const std::string& name) {
  constexpr std::string_view kOwn[] = {"shard",       "id",     "actor_email", "ip",
                                       "detail_json", "record", "seal"};
  return std::ranges::find(kOwn, name) != std::end(kOwn);
}

// What a line's detail must be. Its user agent is sealed in the record: the line's own word counts.
json detail_of(const json& line, const json& record) {
  json detail = record.value("detail", json::object());
  if (!detail.is_object()) return detail;
  detail["request_id"] = record.value("request_id", json(""));
  const auto shown = line.find("detail_json");
  if (shown != line.end() && shown->is_object() && shown->contains("user_agent"))
    detail["user_agent"] = (*shown)["user_agent"];
  return detail;
}

// Written as the service writes it: nothing beside what is signed.
std::optional<SignedStatement> signed_line(const std::string& line) {
  auto read = parse_signed(line);
  if (read && codec::to_json_text(*read) != line) read.reset();
  return read;
}

}  // namespace

struct AuditCheck::Row {
  json line;
  json record;
  std::string record_text;
  std::int64_t shard = 0;
  std::int64_t number = 0;
};

std::string to_text(const AuditFault& fault) {
  std::string where = fault.line == 0 ? "file" : fmt::format("line {}", fault.line);
  if (fault.shard && fault.number)
    where += fmt::format(" (shard {}, number {})", *fault.shard, *fault.number);
  else if (fault.shard) where += fmt::format(" (shard {})", *fault.shard);
  return where + ": " + fault.what;
}

AuditCheck::AuditCheck(std::optional<PublicKeys> keys, std::vector<Checkpoint> checkpoints,
                       Tell tell)
    : keys_(std::move(keys)), tell_(std::move(tell)), checkpoints_(std::move(checkpoints)) {
  for (const Checkpoint& checkpoint : checkpoints_) {
    log_id_of_checkpoints_ = checkpoint.log_id;
    for (const AuditEnd& head : checkpoint.audit)
      signed_digests_[{head.shard, head.number}] = head.digest;
  }
}

void AuditCheck::fault(const AuditFault& fault) {
  if (++faults_ <= kFaultsTold) tell_(fault);
}

void AuditCheck::add_line(std::string_view line) {
  ++line_;
  if (line.empty()) return fault({line_, {}, {}, "an empty line"});
  if (ended_) return fault({line_, {}, {}, "a line behind the file's end"});
  if (!header_seen_) return take_header(line);
  if (is_end(line)) return take_end(line);
  take_row(line);
}

// What stands between the frame's parts; empty when it is not framed so.
std::string AuditCheck::unframed(std::string_view line, std::string_view begin,
                                 std::string_view end) const {
  if (framing_ == AuditFraming::ndjson) return std::string(line);
  if (!line.starts_with(begin) || !line.ends_with(end)) return {};
  if (line.size() < begin.size() + end.size()) return {};
  return std::string(line.substr(begin.size(), line.size() - begin.size() - end.size()));
}

void AuditCheck::take_header(std::string_view line) {
  using namespace audit_framing;
  header_seen_ = true;
  if (line.starts_with(kHeaderBegin)) framing_ = AuditFraming::document;
  const auto read = signed_line(unframed(line, kHeaderBegin, kHeaderEnd));
  if (!read) return fault({line_, {}, {}, "no header of an audit export"});
  seal_ = next_seal({}, read->statement);
  check_signature(*read, "header");
  header_ = statement_of<AuditFileHeader>(*read);
  if (!header_) return fault({line_, {}, {}, "the header says nothing that is known"});
  if (header_->complete != header_->scope.is_complete())
    fault({line_, {}, {}, "the header calls itself complete against its filters"});
  if (!log_id_of_checkpoints_.empty() && header_->log_id != log_id_of_checkpoints_)
    fault({line_, {}, {}, "the checkpoint is of another log"});
}

void AuditCheck::check_signature(const SignedStatement& of, const char* whose) {
  if (!keys_ || keys_->hold_for(of)) return;
  if (keys_->know(of.key_id))
    return fault({line_,
                  {},
                  {},
                  fmt::format("the {}'s signature does not hold (key {})", whose, of.key_id)});
  is_unchecked_ = true;
  tell_({line_, {}, {}, fmt::format("the {} is signed with {}", whose, unknown_key(of.key_id))});
}

bool AuditCheck::is_end(std::string_view line) const {
  using namespace audit_framing;
  return line.starts_with(framing_ == AuditFraming::document ? kEndBegin : "{\"statement\":");
}

void AuditCheck::take_end(std::string_view line) {
  using namespace audit_framing;
  ended_ = true;
  const auto read = signed_line(unframed(line, kEndBegin, kEndEnd));
  const auto end = read ? statement_of<AuditFileEnd>(*read) : std::nullopt;
  if (!end) return fault({line_, {}, {}, "the file's end can't be read"});
  check_signature(*read, "end");
  if (end->rows != rows_)
    fault({line_, {}, {}, fmt::format("{} rows were signed, {} are there", end->rows, rows_)});
  if (end->seal != seal_) fault({line_, {}, {}, "the last row is not the one that was signed"});
  if (comma_) fault({line_, {}, {}, "a comma behind the last row"});
}

void AuditCheck::take_row(std::string_view line) {
  using namespace audit_framing;
  ++rows_;
  std::string_view body = line;
  if (framing_ == AuditFraming::document) {
    if (rows_ > 1 && !comma_) fault({line_, {}, {}, "no comma between it and the row before it"});
    comma_ = body.ends_with(',');
    if (comma_) body.remove_suffix(1);
  }
  constexpr std::size_t kSealHex = 64;
  const std::size_t tail = kSealBegin.size() + kSealHex + kSealEnd.size();
  const bool sealed = body.size() > tail && body.ends_with(kSealEnd) &&
                      body.substr(body.size() - tail).starts_with(kSealBegin);
  Row row;
  row.line = parsed(body);
  const auto record = row.line.is_object() ? text(row.line, "record") : std::nullopt;
  if (!sealed || !record) {
    if (body.size() >= tail)
      seal_ = body.substr(body.size() - kSealEnd.size() - kSealHex, kSealHex);
    return fault({line_, {}, {}, "no row of an audit export"});
  }
  row.record_text = *record;
  row.record = parsed(row.record_text);
  row.shard = whole(row.line, "shard").value_or(-1);
  row.number = row.record.is_object() ? whole(row.record, "number").value_or(-1) : -1;
  check_seal(body.substr(0, body.size() - tail),
             body.substr(body.size() - kSealEnd.size() - kSealHex, kSealHex));
  if (row.shard < 0 || row.number < 1)
    return fault({line_, {}, {}, "its shard or number can't be read"});
  check_fields(row);
  if (header_) check_scope(row);
  check_chain(row);
  check_checkpoints(row);
}

// Goes on from the line's own seal, so that one fault is told once.
void AuditCheck::check_seal(std::string_view text, std::string_view seal) {
  if (next_seal(seal_, text) != seal)
    fault({line_, {}, {}, "altered, or not the line that followed the one before it"});
  seal_ = seal;
}

void AuditCheck::check_fields(const Row& row) {
  const auto differs = [&](const std::string& name) {
    fault({line_, row.shard, row.number, "\"" + name + "\" is not what its record says"});
  };
  std::set<std::string> known;
  for (const auto& [of_record, value] : row.record.items()) {
    if (!is_repeated(of_record)) continue;
    const std::string& name = *known.insert(line_member(of_record)).first;
    const auto found = row.line.find(name);
    if (found == row.line.end() || *found != value) differs(name);
  }
  if (row.line.value("detail_json", json()) != detail_of(row.line, row.record))
    differs("detail_json");
  for (const auto& [name, value] : row.line.items())
    if (!is_of_line(name) && !known.contains(name)) differs(name);
  const auto id = whole(row.line, "id");
  if (!id || *id % kAuditIdShards != row.shard) differs("id");
}

// Whether the row is one of those that the header says the file is of.
void AuditCheck::check_scope(const Row& row) {
  const AuditScope& scope = header_->scope;
  const auto outside = [&](const char* name) {
    fault({line_, row.shard, row.number,
           fmt::format("it is none of the file's: \"{}\" is not what the header's scope says",
                       name)});
  };
  const auto id = [&](const char* name) { return whole(row.record, name); };
  if (scope.actor_id && id("actor_id") != scope.actor_id->value) outside("actor_id");
  if (scope.action && text(row.record, "action") != scope.action) outside("action");
  if (scope.target_type && text(row.record, "target_type") != scope.target_type)
    outside("target_type");
  if (scope.target_id && id("target_id") != scope.target_id) outside("target_id");
  if (scope.project_id && id("project_id") != scope.project_id->value) outside("project_id");
  if (scope.status_code && id("status") != scope.status_code) outside("status_code");
  const auto at = from_rfc3339(text(row.record, "at").value_or(""));
  if (!at || (scope.from && *at < *scope.from) || (scope.to && *at >= *scope.to))
    outside("created_at");
}

void AuditCheck::check_chain(const Row& row) {
  const auto previous = text(row.record, "previous").value_or("");
  const auto found = last_.find(row.shard);
  const bool first = found == last_.end();
  Last& last = last_[row.shard];
  const bool complete = header_ && header_->complete;
  if (first && complete) {
    const AuditEnd* head = head_of(row.shard);
    if (head == nullptr)
      fault({line_, row.shard, row.number, "the header knows no rows of its shard"});
    else if (row.number != head->after + 1)
      fault({line_, row.shard, row.number,
             fmt::format("number {} is missing before it", head->after + 1)});
  }
  if (!first && row.number == last.number)
    fault({line_, row.shard, row.number, fmt::format("it is there twice, see line {}", last.line)});
  if (!first && row.number < last.number)
    fault({line_, row.shard, row.number, fmt::format("it stands behind number {}", last.number)});
  if (!first && complete && row.number > last.number + 1)
    fault({line_, row.shard, row.number,
           fmt::format("number {} is missing before it", last.number + 1)});
  if (!first && row.number == last.number + 1 && previous != last.digest)
    fault({last.line, row.shard, last.number,
           fmt::format("its record is not the one that number {} follows", row.number)});
  if (row.number == 1 && previous != kNoDigest)
    fault({line_, row.shard, row.number, "the first row follows another one"});
  last = {row.number, line_, hex_digest(row.record_text)};
}

void AuditCheck::check_checkpoints(const Row& row) {
  const auto found = signed_digests_.find({row.shard, row.number});
  if (found != signed_digests_.end() && found->second != last_[row.shard].digest)
    fault({line_, row.shard, row.number, "its record is not the one that the checkpoint signed"});
}

const AuditEnd* AuditCheck::head_of(std::int64_t shard) const {
  const auto found = std::ranges::find(header_->audit, shard, &AuditEnd::shard);
  return found == header_->audit.end() ? nullptr : &*found;
}

void AuditCheck::check_heads() {
  for (const AuditEnd& head : header_->audit) {
    if (head.after < 0 || head.number <= head.after) {
      fault({0, head.shard, head.number,
             fmt::format("the header counts from {} to {}", head.after, head.number)});
      continue;
    }
    if (header_->complete) check_begin(head);
    const auto found = last_.find(head.shard);
    const std::int64_t reached = found == last_.end() ? head.after : found->second.number;
    if (header_->complete && reached < head.number)
      fault({0, head.shard, head.number,
             fmt::format("the rows end with number {}, {} was signed", reached, head.number)});
    if (found != last_.end() && reached > head.number)
      fault({found->second.line, head.shard, reached,
             fmt::format("it was added: the rows ended with number {}", head.number)});
    if (found != last_.end() && reached == head.number && found->second.digest != head.digest)
      fault({found->second.line, head.shard, reached, "its record is not the one that was signed"});
  }
}

void AuditCheck::check_begin(const AuditEnd& head) {
  const std::int64_t most = maybe_before(head.shard);
  if (head.after > most)
    fault({0, head.shard, most + 1,
           fmt::format("number {} is missing: the rows begin behind {}", most + 1, head.after)});
}

// The greatest number of the shard that may lie before the file: none before one that begins with
// the log; of one that begins at some time, what a checkpoint that is surely later had seen.
std::int64_t AuditCheck::maybe_before(std::int64_t shard) const {
  if (!header_->scope.from) return 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const Timestamp surely = *header_->scope.from + kClocksDifferMs + kRowsBehindMs;
  std::int64_t greatest = 0;
  for (const Checkpoint& checkpoint : checkpoints_) {
    const auto end = std::ranges::find(checkpoint.audit, shard, &AuditEnd::shard);
    const std::int64_t number = end == checkpoint.audit.end() ? 0 : end->number;
    const bool is_behind = number < greatest;  // read models that were being made anew
    greatest = std::max(greatest, number);
    if (!is_behind && checkpoint.at >= surely) most = std::min(most, number);
  }
  return most;
}

// Rows that a checkpoint had seen before the file was made can't be behind the file's end.
void AuditCheck::check_ends() {
  std::map<std::int64_t, std::int64_t> seen;  // by shard, the greatest number
  for (const Checkpoint& checkpoint : checkpoints_) {
    const Timestamp surely = checkpoint.at + kClocksDifferMs;
    if (surely > header_->at || (header_->scope.to && surely > *header_->scope.to)) continue;
    for (const AuditEnd& end : checkpoint.audit)
      seen[end.shard] = std::max(seen[end.shard], end.number);
  }
  for (const auto& [shard, number] : seen) {
    const AuditEnd* head = head_of(shard);
    const std::int64_t ends = head == nullptr ? maybe_before(shard) : head->number;
    if (ends < number)
      fault({0, shard, number,
             fmt::format("the rows end with number {}, a checkpoint signed {}", ends, number)});
  }
}

void AuditCheck::finish() {
  if (!header_seen_) return fault({0, {}, {}, "it is empty"});
  if (!ended_) fault({0, {}, {}, "it is cut off: the signed end is missing"});
  if (!header_) return;
  check_heads();
  check_ends();
}

}  // namespace annolog::workers
