#include "app/audit_verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "app/judgement.hpp"
#include "workers/audit/audit_check.hpp"
#include "workers/audit/checkpoint_file.hpp"
#include "workers/audit/gzip.hpp"

namespace annolog::app {
namespace {

constexpr std::size_t kLineBytes = 64U << 20U;

std::optional<workers::PublicKeys> keys_in(const std::string& file) {
  if (file.empty()) return std::nullopt;
  return workers::read_public_keys(file);
}

// What was checked, so that nobody takes more from an OK than there is in it.
void say_limits(const workers::AuditCheck& check, const AuditVerifyOptions& options,
                std::ostream& out) {
  if (options.key.empty()) out << "signatures were not checked: no --key was given\n";
  if (!check.header()) return;
  if (!check.header()->complete)
    out << "the export was filtered: that no row of the filter is missing can't be shown by the "
           "chain, only that the file is as it was signed\n";
}

int judged(std::int64_t faults, bool is_unchecked, const std::string& what, std::ostream& out) {
  const Judgement judgement = judge(faults == 0, is_unchecked);
  out << fmt::format("{}: {}{}\n", judgement.word, what,
                     faults == 0 ? "" : fmt::format(", {} faults", faults));
  return judgement.exit_code;
}

int verify(const AuditVerifyOptions& options, std::ostream& out) {
  std::vector<workers::Checkpoint> checkpoints;
  auto keys = keys_in(options.key);
  std::int64_t faults = 0;
  bool is_unchecked = false;
  if (!options.checkpoint.empty()) {
    auto read = workers::read_checkpoints(options.checkpoint, keys, [&](const std::string& fault) {
      out << options.checkpoint << ", " << fault << '\n';
    });
    faults = read.faults;
    is_unchecked = read.is_unchecked;
    checkpoints = std::move(read.checkpoints);
  }
  workers::AuditCheck check(
      std::move(keys), std::move(checkpoints),
      [&](const workers::AuditFault& fault) { out << workers::to_text(fault) << '\n'; });
  try {
    workers::each_line(options.file, kLineBytes, [&](std::string_view line) {
      check.add_line(line);
      return true;
    });
  } catch (const workers::DamagedGzip& damaged) {
    out << options.file << ": " << damaged.what() << '\n';
    ++faults;
  }
  check.finish();
  faults += check.faults();
  is_unchecked = is_unchecked || check.is_unchecked();
  say_limits(check, options, out);
  return judged(faults, is_unchecked, fmt::format("{} rows", check.rows()), out);
}

template <class Work>
int or_unchecked(std::ostream& err, Work work) {
  try {
    return work();
  } catch (const std::exception& error) {
    err << "annolog: " << error.what() << '\n';
    return kUnchecked;
  }
}

std::string line_of(const workers::Checkpoint& of) {
  std::int64_t records = 0;
  std::int64_t rows = 0;
  for (const auto& head : of.heads) records += head.position;
  for (const auto& end : of.audit) rows += end.number;
  return fmt::format("{:>8}  {}  {} shards, {} records, {} audit rows", of.number,
                     to_rfc3339(of.at), of.heads.size(), records, rows);
}

// Whoever keeps some only has gaps; in the service's own file one was taken out.
std::int64_t missing_between(const std::vector<workers::Checkpoint>& read) {
  std::int64_t missing = 0;
  for (std::size_t i = 1; i < read.size(); ++i)
    missing += std::max<std::int64_t>(0, read[i].number - read[i - 1].number - 1);
  return missing;
}

}  // namespace

int verify_audit(const AuditVerifyOptions& options, std::ostream& out, std::ostream& err) {
  return or_unchecked(err, [&] { return verify(options, out); });
}

int show_checkpoints(const CheckpointOptions& options, std::ostream& out, std::ostream& err) {
  return or_unchecked(err, [&] {
    const auto read = workers::read_checkpoints(
        options.file, keys_in(options.key),
        [&](const std::string& fault) { err << options.file << ", " << fault << '\n'; });
    const auto& all = read.checkpoints;
    for (std::size_t i = all.size() - std::min(all.size(), options.last); i < all.size(); ++i)
      out << line_of(all[i]) << '\n';
    return judge(read.faults == 0, !options.key.empty() && read.is_unchecked).exit_code;
  });
}

int verify_checkpoints(const CheckpointOptions& options, std::ostream& out, std::ostream& err) {
  return or_unchecked(err, [&] {
    const auto read =
        workers::read_checkpoints(options.file, keys_in(options.key),
                                  [&](const std::string& fault) { out << fault << '\n'; });
    if (options.key.empty()) out << "signatures were not checked: no --key was given\n";
    const auto between = missing_between(read.checkpoints);
    return judged(
        read.faults, read.is_unchecked,
        fmt::format("{} checkpoints{}", read.checkpoints.size(),
                    between == 0 ? "" : fmt::format("; {} between them not there", between)),
        out);
  });
}

}  // namespace annolog::app
