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
  if (keys_ && !keys_->hold_for(*read))
    return fault(fmt::format("the signature of checkpoint {} does not hold (key {})",
                             checkpoint->number, read->key_id));
  check_order(*checkpoint);
  last_number_ = checkpoint->number;
  last_digest_ = hex_digest(read->statement);
  log_id_ = checkpoint->log_id;
  return checkpoint;
}

void CheckpointCheck::check_order(const Checkpoint& read) {
  if (!log_id_.empty() && read.log_id != log_id_) {
    fault(fmt::format("checkpoint {} is of another log", read.number));
  } else if (read.number == last_number_ + 1) {
    const std::string_view before = last_number_ == 0 ? kNoDigest : std::string_view(last_digest_);
    if (read.previous != before)
      fault(fmt::format("checkpoint {} does not follow checkpoint {}", read.number, last_number_));
  } else if (last_number_ != 0 && read.number <= last_number_) {
    fault(fmt::format("checkpoint {} stands behind checkpoint {}", read.number, last_number_));
  }
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
