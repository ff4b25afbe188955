#include "projections/queries/one_moment.hpp"

#include <algorithm>
#include <string>

#include "projections/queries/catalogue.hpp"
#include "projections/queries/fetch.hpp"

namespace annolog::projections {
namespace {

// Of the generation that is live, a row a shard.
constexpr Statement kReached{"checkpoints_reached", R"sql(
SELECT shard, position FROM annolog.checkpoints
WHERE generation = (SELECT generation FROM annolog.read_models)
)sql"};

}  // namespace

void in_one_moment(ReadPool& pool, const char* settings,
                   const std::function<void(PgConnection&)>& read) {
  pool.with_connection([&](PgConnection& connection) {
    connection.run(std::string("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ") + settings);
    read(connection);
    connection.run("COMMIT");
  });
}

std::vector<eventstore::Position> reached_on(PgConnection& connection) {
  return fetch_on(connection, kReached, Params(), [](RowReader& row) {
    const eventstore::ShardId shard(static_cast<std::uint16_t>(row.integer()));
    return eventstore::Position{shard,
                                eventstore::Offset(static_cast<std::uint64_t>(row.integer()))};
  });
}

void require_reached(PgConnection& connection, const std::vector<eventstore::Position>& wanted) {
  const auto reached = reached_on(connection);
  const bool there = std::ranges::all_of(wanted, [&](const eventstore::Position& each) {
    if (each.offset.value == 0) return true;
    const auto found = std::ranges::find(reached, each.shard, &eventstore::Position::shard);
    return found != reached.end() && found->offset >= each.offset;
  });
  if (!there) throw ReadUnavailable("the read models are behind what they showed before");
}

std::vector<Statement> one_moment_statements() { return {kReached}; }

}  // namespace annolog::projections
