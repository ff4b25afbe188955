#include "workers/audit/checkpointer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "domain/codec/domain_json.hpp"
#include "platform/encoding.hpp"
#include "platform/files.hpp"
#include "platform/named_thread.hpp"
#include "projections/audit/snapshot.hpp"
#include "workers/audit/gzip.hpp"

namespace annolog::workers {
namespace {

constexpr std::int64_t kLinesAtOnce = 1000;
constexpr off_t kTailBytes = 1 << 20;  // the last line of the file lies in it
// For the log's ends, all together: other processes wait for the lock meanwhile.
constexpr std::chrono::milliseconds kEndsWait{5'000};

SignedStatement signed_of(const projections::StoredCheckpoint& row) {
  return {row.statement, row.key_id, row.signature};
}

platform::UniqueFd open_file(const std::filesystem::path& file) {
  return platform::open_file(file, {.flags = O_RDWR | O_CREAT | O_APPEND, .mode = 0644});
}

// The end of a file, from a line's beginning on.
std::string tail_of(const platform::UniqueFd& file) {
  struct stat found{};
  if (::fstat(file.get(), &found) != 0) throw std::system_error(errno, std::generic_category());
  const off_t from = std::max<off_t>(0, found.st_size - kTailBytes);
  std::string bytes(static_cast<std::size_t>(found.st_size - from), '\0');
  const ssize_t count = ::pread(file.get(), bytes.data(), bytes.size(), from);
  bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return bytes;
}

// The number of the last whole line; 0: there is none.
std::int64_t last_number(const std::string& tail) {
  const auto end = tail.rfind('\n');
  if (end == std::string::npos) return 0;
  const auto begin = end == 0 ? std::string::npos : tail.rfind('\n', end - 1);
  const auto line = std::string_view(tail).substr(begin == std::string::npos ? 0 : begin + 1);
  const auto read = parse_signed(line.substr(0, line.find('\n')));
  return read ? codec::from_json_text<Checkpoint>(read->statement).number : 0;
}

}  // namespace

Checkpointer::Checkpointer(Parts parts, std::chrono::seconds every)
    : parts_(std::move(parts)),
      every_(every),
      made_(parts_.metrics.counter(
          {"checkpoints_made_total", "Checkpoints of the log that this process signed"})),
      age_s_(parts_.metrics.gauge(
          {"checkpoint_age_seconds", "Since the newest signed checkpoint; 0: there is none"})),
      differs_(parts_.metrics.gauge(
          {"checkpoint_log_differs", "1: the log does not hold what was signed of it"})) {}

Checkpointer::~Checkpointer() { stop(); }

void Checkpointer::start() {
  if (every_.count() == 0) return;
  parts_.metrics.before_expose([this] { tell_age(); });
  thread_ = platform::named_thread("checkpointer", [this] { run(); });
}

void Checkpointer::stop() {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
  }
  stop_cv_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Checkpointer::run() {
  for (bool last = false; !last;) {
    {
      std::unique_lock guard(mutex_);
      last = stop_cv_.wait_for(guard, every_, [&] { return stopping_; });
    }
    try {
      make();
    } catch (const std::exception& error) {
      parts_.logger.warn("no checkpoint could be made; it is tried again",
                         {{"reason", error.what()}});
    }
  }
}

void Checkpointer::tell_age() {
  const auto newest = newest_ms_.load();
  const auto age_ms = std::max<std::int64_t>(0, parts_.clock.now().ms - newest);
  age_s_.set(newest == 0 ? 0 : static_cast<double>(age_ms) / 1000);
}

void Checkpointer::make() {
  if (in_file_ < 0) {
    look_at_file();
    bring_back();
  }
  projections::CheckpointStore(parts_.shared).add([&](const Newest& newest) {
    if (newest) newest_ms_ = newest->at.ms;
    return next(newest);
  });
  catch_up_file();
}

std::optional<projections::CheckpointStore::Made> Checkpointer::next(const Newest& newest) {
  std::optional<Checkpoint> before;
  if (newest) before = codec::from_json_text<Checkpoint>(newest->statement);
  std::string differs;
  if (before && before->log_id != parts_.log.log_id) differs = "another log was signed before";
  Checkpoint made;
  if (differs.empty()) made.heads = heads(before, differs);
  differs_.set(differs.empty() ? 0 : 1);
  if (!differs.empty()) {
    parts_.logger.error("the log does not hold what was signed of it; nothing more is signed",
                        {{"what", differs}});
    return std::nullopt;
  }
  if (made.heads.empty() || (before && made.heads == before->heads)) return std::nullopt;
  made.log_id = parts_.log.log_id;
  made.number = before ? before->number + 1 : 1;
  made.at = parts_.clock.now();
  made.previous = newest ? hex_digest(newest->statement) : std::string(kNoDigest);
  made.audit = projections::AuditSnapshot(parts_.reads, {}).heads(parts_.log.shard_count);
  const SignedStatement of = parts_.signer.sign(codec::to_json_text(made));
  const auto key = parts_.signer.public_key();
  made_.add();
  newest_ms_ = made.at.ms;
  return projections::CheckpointStore::Made{
      {made.number, made.at, of.statement, of.key_id, of.signature},
      {platform::key_id_of(key), platform::to_base64url(platform::as_bytes_view(key))}};
}

std::vector<LogHead> Checkpointer::heads(const std::optional<Checkpoint>& before,
                                         std::string& differs) {
  std::map<std::int64_t, LogHead> known;
  if (before)
    for (const LogHead& head : before->heads) known[head.shard] = head;
  std::vector<LogHead> heads;
  const auto until = std::chrono::steady_clock::now() + kEndsWait;
  for (std::uint16_t shard = 0; shard < parts_.log.shard_count; ++shard) {
    const auto found = known.find(shard);
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now());
    const std::int64_t end = parts_.log.end(shard, std::max(left, std::chrono::milliseconds(0)));
    const LogHead* before_it = found == known.end() ? nullptr : &found->second;
    if (before_it != nullptr && end == before_it->position) {
      heads.push_back(*before_it);
      continue;
    }
    if (before_it != nullptr &&
        (end < before_it->position ||
         parts_.log.chain(shard, before_it->position) != before_it->chain)) {
      differs =
          "shard " + std::to_string(shard) + ", position " + std::to_string(before_it->position);
      return {};
    }
    if (end == 0) continue;
    const auto chain = parts_.log.chain(shard, end);
    // Left out, the shard would seem to have lost what was signed of it.
    if (!chain)
      throw std::runtime_error(fmt::format("record {} of shard {} can't be read", end, shard));
    heads.push_back({shard, end, *chain});
  }
  return heads;
}

// A last line that was cut off is cut away: it is written again whole.
void Checkpointer::look_at_file() {
  const auto file = open_file(parts_.file);
  const std::string tail = tail_of(file);
  const auto whole = tail.rfind('\n');
  const auto cut = static_cast<off_t>(tail.size() - (whole == std::string::npos ? 0 : whole + 1));
  struct stat found{};
  if (::fstat(file.get(), &found) != 0 ||
      (cut > 0 && ::ftruncate(file.get(), found.st_size - cut) != 0))
    throw std::system_error(errno, std::generic_category(), parts_.file.string());
  in_file_ = last_number(tail);
}

// What the file has and the database has not: the database was made anew, as it may be at any time
// (docs/operations.md), and what was signed can't be made again.
void Checkpointer::bring_back() {
  const auto newest = projections::CheckpointQueries(parts_.reads).page(std::nullopt, 1);
  const std::int64_t known = newest.items.empty() ? 0 : newest.items.front().number;
  if (known >= in_file_) return;
  std::vector<projections::StoredCheckpoint> lost;
  const auto put_back = [&] {
    projections::CheckpointStore(parts_.shared).put_back(std::exchange(lost, {}));
  };
  each_line(parts_.file, kTailBytes, [&](std::string_view line) {
    const auto read = parse_signed(line);
    if (!read) return true;
    const auto checkpoint = codec::from_json_text<Checkpoint>(read->statement);
    if (checkpoint.number <= known) return true;
    lost.push_back(
        {checkpoint.number, checkpoint.at, read->statement, read->key_id, read->signature});
    if (lost.size() == static_cast<std::size_t>(kLinesAtOnce)) put_back();
    return true;
  });
  put_back();
  parts_.logger.info("signed checkpoints were put back into the database",
                     {{"from", known + 1}, {"to", in_file_}});
}

// What a crash between the database and the file left out, and what other processes made.
void Checkpointer::catch_up_file() {
  const auto file = open_file(parts_.file);
  for (;;) {
    const auto rows = projections::CheckpointQueries(parts_.reads).behind(in_file_, kLinesAtOnce);
    if (rows.empty()) return;
    std::string lines;
    for (const auto& row : rows) lines += codec::to_json_text(signed_of(row)) + "\n";
    platform::write_all(file, lines, parts_.file);
    if (::fsync(file.get()) != 0)
      throw std::system_error(errno, std::generic_category(), parts_.file.string());
    in_file_ = rows.back().number;
    newest_ms_ = rows.back().at.ms;
  }
}

}  // namespace annolog::workers
