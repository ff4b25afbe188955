#include "projections/account_events/queries.hpp"

#include "domain/codec/domain_json.hpp"
#include "domain/identity/context.hpp"
#include "projections/queries/catalogue.hpp"
#include "projections/queries/fetch.hpp"

namespace annolog::projections {
namespace {

constexpr Statement kPage{"account_events_page", R"sql(
SELECT id, action, actor_id, target_type, target_id, detail, at_ms FROM account_events
WHERE person_id = $1::bigint AND (at_ms, id) < ($2::bigint, $3::bigint)
ORDER BY at_ms DESC, id DESC LIMIT $4::bigint
)sql"};

AccountEventView read_event(RowReader& row) {
  AccountEventView event;
  event.id = row.integer();
  event.action = row.text();
  const auto actor = row.id<UserId>();
  if (actor != kSystemUser) event.actor = UserBrief{actor, "", ""};
  event.target_type = row.text();
  event.target_id = row.integer();
  event.detail = codec::from_json_text<AccountEventDetail>(row.view());
  event.created_at = row.time();
  return event;
}

}  // namespace

Page<AccountEventView, TimeCursor> AccountEventQueries::of(UserId person,
                                                           std::optional<TimeCursor> after,
                                                           std::int64_t limit) const {
  const auto from = after.value_or(kAfterAll);
  Params params;
  params.add(person.value).add(from.at.ms).add(from.id).add(limit + 1);
  return make_page(
      fetch_all(*pool_, kPage, params, read_event), limit,
      [](const AccountEventView& last) { return TimeCursor{last.created_at, last.id}; });
}

std::vector<Statement> account_event_statements() { return {kPage}; }

}  // namespace annolog::projections
