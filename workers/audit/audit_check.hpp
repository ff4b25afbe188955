// Checks an audit export or archive with nothing but the file, the public key and, if there is one,
// a checkpoint that was signed at another time. Fed with the file's lines; what is wrong is told
// with line, shard and number. Pure; one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workers/audit/audit_file.hpp"

namespace annolog::workers {

struct AuditFault {
  std::int64_t line = 0;  // 1, 2, 3 …; 0: of the file as a whole
  std::optional<std::int64_t> shard;
  std::optional<std::int64_t> number;
  std::string what;
  bool operator==(const AuditFault&) const = default;
};
// "line 12 (shard 3, number 40): …"
std::string to_text(const AuditFault& fault);

class AuditCheck {
 public:
  using Tell = std::function<void(const AuditFault&)>;

  // Without keys the signatures are not looked at. `checkpoints` were checked by who gives them.
  AuditCheck(std::optional<PublicKeys> keys, std::vector<Checkpoint> checkpoints, Tell tell);

  void add_line(std::string_view line);  // without its line break
  // After the last line.
  void finish();

  bool is_sound() const { return faults_ == 0; }
  std::int64_t faults() const { return faults_; }
  // No keys were given, or a signature is of a key that is not among them: nothing can be said of
  // it, which is told, too.
  bool is_unchecked() const { return !keys_ || is_unchecked_; }
  std::int64_t rows() const { return rows_; }
  // Absent: the file has none that can be read.
  const std::optional<AuditFileHeader>& header() const { return header_; }

 private:
  // Of each shard, the row before.
  struct Last {
    std::int64_t number = 0;
    std::int64_t line = 0;
    std::string digest;
  };
  struct Row;

  void fault(const AuditFault& fault);
  void take_header(std::string_view line);
  void take_row(std::string_view line);
  void take_end(std::string_view line);
  bool is_end(std::string_view line) const;
  void check_signature(const SignedStatement& of, const char* whose);
  void check_seal(std::string_view text, std::string_view seal);
  void check_fields(const Row& row);
  void check_scope(const Row& row);
  void check_chain(const Row& row);
  void check_checkpoints(const Row& row);
  void check_heads();
  void check_begin(const AuditEnd& head);
  void check_ends();
  const AuditEnd* head_of(std::int64_t shard) const;
  std::int64_t maybe_before(std::int64_t shard) const;
  std::string unframed(std::string_view line, std::string_view begin, std::string_view end) const;

  const std::optional<PublicKeys> keys_;
  const Tell tell_;
  const std::vector<Checkpoint> checkpoints_;
  // What checkpoints say of rows: the digest of (shard, number).
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> signed_digests_;
  std::string log_id_of_checkpoints_;

  std::optional<AuditFileHeader> header_;
  AuditFraming framing_ = AuditFraming::ndjson;
  std::map<std::int64_t, Last> last_;  // by shard
  std::string seal_;
  std::int64_t line_ = 0;
  std::int64_t rows_ = 0;
  bool comma_ = false;  // behind the last line, of a document
  std::int64_t faults_ = 0;
  bool is_unchecked_ = false;
  bool header_seen_ = false;
  bool ended_ = false;
};

}  // namespace annolog::workers
