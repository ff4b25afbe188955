// The control tables: which generation of the read models is live and how far it has come.
// One thread per connection. Errors: pg/errors.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "eventstore/record.hpp"
#include "projections/pg/connection.hpp"

namespace annolog::projections {

inline constexpr const char* kLiveSchema = "read_live";
inline constexpr const char* kBuildingSchema = "read_building";
// advance_checkpoints() refuses a batch with these.
inline constexpr const char* kGenerationGone = "AN001";
inline constexpr const char* kCheckpointMoved = "AN002";

struct Control {
  std::int64_t generation = 0;
  std::int64_t version = 0;
  std::string definition;
  std::optional<std::string> log_id;
};

// By shard; index is the shard's number.
using Positions = std::vector<eventstore::Offset>;
// In some shard; `others` may tell of fewer shards.
bool is_behind(const Positions& positions, const Positions& others);

std::optional<Control> load_control(PgConnection& connection);
// Locks the control row until the end of the transaction: no batch can commit meanwhile.
Control lock_control(PgConnection& connection);
void bind_log(PgConnection& connection, const std::string& log_id);
// Missing rows are made with position 0. A row beyond `shard_count` throws std::runtime_error.
Positions load_positions(PgConnection& connection, std::int64_t generation,
                         std::uint16_t shard_count);
std::unordered_set<std::string> load_parked_subjects(PgConnection& connection,
                                                     std::int64_t generation);

// The read schema's own SQL: SHA-256 of it all, in hex, and its two halves.
std::string read_schema_definition();
std::string read_schema_tables();
std::string read_schema_indexes();
// Makes the live schema, empty, when there is none; in a transaction of its own.
void ensure_live_schema(PgConnection& connection);

// statement: {generation, shards, expected, reached}; first of every batch.
extern const Statement kAdvanceCheckpoints;
// statement: {generation, shards, positions, types, subjects, errors}
extern const Statement kParkEvents;

}  // namespace annolog::projections
