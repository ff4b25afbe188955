#include "workers/audit/checkpoint_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "domain/codec/domain_json.hpp"
#include "platform/files.hpp"
#include "workers/audit/gzip.hpp"

namespace annolog::workers {
namespace {

constexpr std::size_t kLineBytes = 64U << 20U;
constexpr std::uint64_t kKeyBytes = 1U << 20U;

std::optional<Checkpoint> checkpoint_of(const SignedStatement& of) {
  try {
    auto read = codec::from_json_text<Checkpoint>(of.statement);
    if (read.format != Checkpoint::kFormat) return std::nullopt;
    return read;
  } catch (const codec::CodecError&) {
    return std::nullopt;
  }
}

// The API repeats number and time beside the statement; nothing else goes unsigned.
bool says_more(std::string_view line, const SignedStatement& of, const Checkpoint& read) {
  const auto object = nlohmann::json::parse(line, nullptr, false);
  const bool is_repeated = object.contains("number") || object.contains("at");
  if (!is_repeated) return codec::to_json_text(of) != line;
  return object.size() != 5 || object.value("number", nlohmann::json()) != read.number ||
         object.value("at", nlohmann::json()) != to_rfc3339(read.at);
}

const LogHead* head_of(const Checkpoint& of, std::int64_t shard) {
  const auto found = std::ranges::find(of.heads, shard, &LogHead::shard);
  return found == of.heads.end() ? nullptr : &*found;
}

// The log has all that it had: at the same position the same, else it goes on behind it.
bool has_grown(const Checkpoint& before, const Checkpoint& after) {
  return std::ranges::all_of(before.heads, [&](const LogHead& head) {
    const LogHead* now = head_of(after, head.shard);
    return now != nullptr && (now->position > head.position || *now == head);
  });
}

// Rows are the read models', which may have been made anew: less of them says nothing.
bool tells_other_rows(const Checkpoint& before, const Checkpoint& after) {
  return std::ranges::any_of(before.audit, [&](const AuditEnd& end) {
    const auto now = std::ranges::find(after.audit, end.shard, &AuditEnd::shard);
    return now != after.audit.end() && now->number == end.number && *now != end;
  });
}

// A page of them, newest first, as lines, oldest first; any other text is its own lines.
std::vector<std::string> lines_of_page(const std::string& text) {
  const auto page = nlohmann::json::parse(text, nullptr, false);
  std::vector<std::string> lines;
  if (!page.is_object()) return lines;
  const auto items = page.find("items");
  if (items == page.end() || !items->is_array()) return lines;
  for (const auto& item : *items) lines.push_back(item.dump());
  std::ranges::reverse(lines);
  return lines;
}

}  // namespace

std::optional<Checkpoint> CheckpointCheck::fault(const std::string& what) {
  ++faults_;
  tell_(fmt::format("line {}: {}", line_, what));
  return std::nullopt;
}

std::optional<Checkpoint> CheckpointCheck::add(std::string_view line) {
  ++line_;
  const auto read = parse_signed(line);
  if (!read) return fault("no signed checkpoint");
  auto checkpoint = checkpoint_of(*read);
  if (!checkpoint) return fault("what is signed is no checkpoint");
  if (says_more(line, *read, *checkpoint))
    fault(fmt::format("beside checkpoint {} stands what is not signed", checkpoint->number));
  if (!check_signature(*read, checkpoint->number)) return std::nullopt;
  check_order(*checkpoint);
  last_ = *checkpoint;
  last_digest_ = hex_digest(read->statement);
  return checkpoint;
}

bool CheckpointCheck::check_signature(const SignedStatement& of, std::int64_t number) {
  if (!keys_ || keys_->hold_for(of)) return true;
  if (keys_->know(of.key_id)) {
    fault(fmt::format("the signature of checkpoint {} does not hold (key {})", number, of.key_id));
  } else {
    is_unchecked_ = true;
    tell_(fmt::format("line {}: checkpoint {} is signed with {}", line_, number,
                      unknown_key(of.key_id)));
  }
  return false;
}

void CheckpointCheck::check_order(const Checkpoint& read) {
  if (!last_.log_id.empty() && read.log_id != last_.log_id) {
    fault(fmt::format("checkpoint {} is of another log", read.number));
  } else if (last_.number != 0 && read.number <= last_.number) {
    fault(fmt::format("checkpoint {} stands behind checkpoint {}", read.number, last_.number));
  } else {
    const std::string_view before = last_.number == 0 ? kNoDigest : std::string_view(last_digest_);
    if (read.number == last_.number + 1 && read.previous != before)
      fault(fmt::format("checkpoint {} does not follow checkpoint {}", read.number, last_.number));
    check_growth(read);
  }
}

void CheckpointCheck::check_growth(const Checkpoint& read) {
  if (!has_grown(last_, read) || tells_other_rows(last_, read))
    fault(fmt::format("checkpoint {} contradicts checkpoint {}: a log only grows", read.number,
                      last_.number));
}

CheckpointsRead read_checkpoints(const std::filesystem::path& file,
                                 const std::optional<PublicKeys>& keys,
                                 const CheckpointCheck::Tell& tell) {
  std::vector<std::string> lines;
  each_line(file, kLineBytes, [&](std::string_view line) {
    lines.emplace_back(line);
    return true;
  });
  if (lines.size() == 1) {
    auto of_page = lines_of_page(lines.front());
    if (!of_page.empty()) lines = std::move(of_page);
  }
  CheckpointCheck check(keys, tell);
  CheckpointsRead read;
  for (const std::string& line : lines)
    if (auto checkpoint = check.add(line)) read.checkpoints.push_back(std::move(*checkpoint));
  read.faults = check.faults();
  read.is_unchecked = check.is_unchecked();
  if (lines.empty()) throw std::runtime_error(file.string() + " holds no checkpoint");
  return read;
}

PublicKeys read_public_keys(const std::filesystem::path& file) {
  auto keys = PublicKeys::parse(platform::read_file(file, kKeyBytes));
  if (!keys)
    throw std::runtime_error(file.string() +
                             " is no Ed25519 public key: PEM, or the JSON of "
                             "GET /api/v1/audit/public-key");
  return std::move(*keys);
}

}  // namespace annolog::workers
