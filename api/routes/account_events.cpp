// What happened to the caller's account.
#include <boost/describe/class.hpp>

#include "api/pages.hpp"
#include "api/routes/tables.hpp"
#include "api/work.hpp"
#include "projections/account_events/queries.hpp"

namespace annolog::api {

struct AccountEventPage {
  std::vector<AccountEventView> items;
  std::optional<std::string> next_cursor;
};
BOOST_DESCRIBE_STRUCT(AccountEventPage, (), (items, next_cursor))

}  // namespace annolog::api

namespace annolog::http {}  // namespace annolog::http

namespace annolog::api {
namespace {

awaitable<HandlerResult> list_account_events(Call& call, Services& services) {
  const auto& query = call.query<PageQuery>();
  BOOST_OUTCOME_CO_TRY(auto after, cursor_time(call, services, query.cursor));
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {}));
  BOOST_OUTCOME_CO_TRY(auto page, co_await read(services, [&] {
                         return projections::AccountEventQueries(services.reads)
                             .of(call.caller().id, after, query.limit);
                       }));
  for (auto& event : page.items)
    if (event.actor) event.actor = services.directory.brief(event.actor->id);
  co_return http::reply_json_text(200,
                                  page_json(page.items, next_cursor(call, services, page.next)));
}

}  // namespace

http::RouteTable account_event_routes(Services& services) {
  return {
      {.method = http::Method::get,
       .path = "/api/v1/auth/me/notifications",
       .operation_id = "listAccountEvents",
       .summary = "What happened to the caller's account, newest first",
       .tag = "account",
       .access = http::Access::needs(Action::use_account, http::Scope::none),
       .query = http::query_of<PageQuery>(),
       .reply = http::replies<AccountEventPage>(200),
       .handler = [&services](Call& call) { return list_account_events(call, services); }},
  };
}

}  // namespace annolog::api
