// The form of audit exports and archives, which can be checked without the service: a signed
// header, a line for each row, a signed end. Each line's seal is the SHA-256 of the seal before it
// and the line's own text (the header's statement begins the chain), so that every byte is bound to
// the end's signature; each row carries the event's exact data (`record`), whose own chain in its
// shard shows that none is missing. docs/operations.md, "For an auditor".
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "platform/digest.hpp"
#include "workers/audit/signed_statement.hpp"
#include "workers/audit/statements.hpp"

namespace annolog::workers {

struct AuditFileRow {
  std::int64_t id = 0;
  std::string record;  // the event's data, byte for byte
  // What is sealed in the record, and who that is, as far as their keys open it.
  std::optional<std::string> actor_email;
  std::optional<std::string> ip;
  std::optional<std::string> user_agent;
};

// Members of a record that a line does not repeat in readable form, or within `detail_json`.
inline constexpr std::string_view kUnrepeated[] = {"previous", "origin", "request_id", "detail"};
// How a line names what the record names shortly (specification, Audit log).
std::string line_member(const std::string& of_record);

// The line without its seal: `{"shard":…,"id":…, …,"record":"…"`. Throws std::runtime_error when
// the record is no JSON object.
std::string row_text(const AuditFileRow& row);

enum class AuditFraming {
  ndjson,    // one JSON value a line
  document,  // the same lines within one JSON document
};

// The first lines leave at once. One thread.
class AuditFileWriter {
 public:
  using Sink = std::function<void(std::string_view)>;

  AuditFileWriter(Sink sink, AuditFraming framing, const StatementSigner& signer);

  void begin(const AuditFileHeader& header);
  void add(const AuditFileRow& row);
  void end();

  std::int64_t rows() const { return rows_; }
  const std::string& seal() const { return seal_; }

 private:
  void seal_text(std::string_view text);

  Sink sink_;
  AuditFraming framing_;
  const StatementSigner& signer_;
  std::string seal_;  // hex, of the last line
  std::int64_t rows_ = 0;
};

// What a line follows from the seal before it and its text.
std::string next_seal(std::string_view seal_before, std::string_view text);

// How the lines are framed in a document; an NDJSON file has none of it.
namespace audit_framing {
inline constexpr std::string_view kHeaderBegin = "{\"header\":";
inline constexpr std::string_view kHeaderEnd = ",\"rows\":[";
inline constexpr std::string_view kEndBegin = "],\"end\":";
inline constexpr std::string_view kEndEnd = "}";
inline constexpr std::string_view kSealBegin = ",\"seal\":\"";
inline constexpr std::string_view kSealEnd = "\"}";
}  // namespace audit_framing

}  // namespace annolog::workers
