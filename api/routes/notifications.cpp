// The caller's notifications: list, count, marks as read.
#include <boost/describe/class.hpp>

#include "api/notifications.hpp"
#include "api/pages.hpp"
#include "api/routes/tables.hpp"
#include "api/work.hpp"

namespace annolog::api {

struct NotificationPageQuery {
  std::optional<bool> unread;
  std::vector<std::string> type;
  std::int64_t limit = kDefaultLimit;
  std::optional<std::string> cursor;
};
BOOST_DESCRIBE_STRUCT(NotificationPageQuery, (), (unread, type, limit, cursor))

struct NotificationPage {
  std::vector<NotificationView> items;
  std::optional<std::string> next_cursor;
  std::int64_t unread_count = 0;
};
BOOST_DESCRIBE_STRUCT(NotificationPage, (), (items, next_cursor, unread_count))

struct UnreadCount {
  std::int64_t unread_count = 0;
};
BOOST_DESCRIBE_STRUCT(UnreadCount, (), (unread_count))

struct AllRead {
  std::int64_t marked = 0;
  std::int64_t unread_count = 0;
};
BOOST_DESCRIBE_STRUCT(AllRead, (), (marked, unread_count))

namespace {

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (const auto& kind : kNotificationKinds) names.emplace_back(kind.name);
  return names;
}

}  // namespace
}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::NotificationPageQuery> {
  static void apply(ObjectRules& rules) {
    rules.field("unread").describe("true: those not read yet; false: those read.");
    rules.field("type").defaulted().each().one_of(api::type_names());
    api::limit_rule(rules);
  }
};
template <>
struct SchemaRules<NotificationView> {
  static constexpr std::string_view kName = "Notification";
  static void apply(ObjectRules& rules) {
    rules.field("type").describe("An open enumeration: expect types that are not known yet.");
    rules.field("target_type").describe("What target_id names: task, batch, comment, …");
  }
};
template <>
struct SchemaRules<api::NotificationPage> {
  static void apply(ObjectRules& rules) {
    rules.field("unread_count")
        .describe("Of all types that are not turned off, whatever the filter.");
  }
};
template <>
struct SchemaRules<api::AllRead> {
  static constexpr std::string_view kName = "AllNotificationsRead";
  static void apply(ObjectRules& rules) {
    rules.field("unread_count").describe("Those that came meanwhile.");
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

awaitable<HandlerResult> list_notifications(Call& call, Services& services) {
  const auto& query = call.query<NotificationPageQuery>();
  BOOST_OUTCOME_CO_TRY(auto after, cursor_time(call, services, query.cursor));
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {}));
  projections::NotificationFilter filter{query.unread, {}};
  for (const auto& name : query.type)
    if (const auto type = notification_type_from(name)) filter.types.push_back(*type);
  NotificationPage shown;
  BOOST_OUTCOME_CO_TRY(auto page, co_await read(services, [&] {
                         const auto notifications = shown_notifications(services);
                         const UserId user = call.caller().id;
                         shown.unread_count = notifications.unread_count(user);
                         return notifications.of(user, filter, after, query.limit);
                       }));
  shown.items = std::move(page.items);
  for (auto& notification : shown.items) complete(services, notification);
  shown.next_cursor = next_cursor(call, services, page.next);
  co_return http::reply(200, shown);
}

awaitable<HandlerResult> count_unread(Call& call, Services& services) {
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {}));
  BOOST_OUTCOME_CO_TRY(const std::int64_t count, co_await read(services, [&] {
                         return shown_notifications(services).unread_count(call.caller().id);
                       }));
  co_return http::reply(200, UnreadCount{count});
}

awaitable<HandlerResult> read_notification(Call& call, Services& services) {
  const auto id = call.id<NotificationId>("notification_id");
  const UserId user = call.caller().id;
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {}));
  BOOST_OUTCOME_CO_TRY(auto found, co_await read(services, [&] {
                         return shown_notifications(services).find(user, id);
                       }));
  if (!found) co_return not_found("notification");
  ReadNotifications command{user, {}};
  if (!found->read_at) command.notification_ids.push_back(id);
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_command(call, services, std::move(command)));
  if (!found->read_at) found->read_at = done.get<commands::NotificationsRead>().read_at;
  complete(services, *found);
  co_return written(http::reply(200, *found), done);
}

// What came while all was marked. The mark is there: when the read models are away or behind, it is
// answered all the same.
awaitable<std::int64_t> count_what_is_left(Call& call, Services& services) {
  if (!co_await wait_for_reads(call, services, {commands::kDirectory})) co_return 0;
  const auto count = co_await read(
      services, [&] { return shown_notifications(services).unread_count(call.caller().id); });
  co_return count ? count.value() : 0;
}

awaitable<HandlerResult> read_all_notifications(Call& call, Services& services) {
  const UserId user = call.caller().id;
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {}));
  BOOST_OUTCOME_CO_TRY(auto unread, co_await read(services, [&] {
                         return shown_notifications(services).unread(user);
                       }));
  BOOST_OUTCOME_CO_TRY(
      auto done,
      co_await run_command(call, services,
                           ReadAllNotifications{user, std::move(unread.up_to), unread.shown}));
  const AllRead answer{done.get<commands::NotificationsRead>().marked,
                       co_await count_what_is_left(call, services)};
  co_return written(http::reply(200, answer), done);
}

}  // namespace

http::RouteTable notification_routes(Services& services) {
  const auto own = http::Access::needs(Action::use_account, http::Scope::none);
  return {
      {.method = http::Method::get,
       .path = "/api/v1/notifications",
       .operation_id = "listNotifications",
       .summary = "What the caller is told of, newest first",
       .tag = "notifications",
       .access = own,
       .query = http::query_of<NotificationPageQuery>(),
       .reply = http::replies<NotificationPage>(200),
       .description = "Kept for 90 days unless set otherwise. Types that the caller's preferences "
                      "turn off are not there.",
       .handler = [&services](Call& call) { return list_notifications(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/notifications/unread-count",
       .operation_id = "countUnreadNotifications",
       .summary = "How many notifications the caller has not read",
       .tag = "notifications",
       .access = own,
       .reply = http::replies<UnreadCount>(200),
       .handler = [&services](Call& call) { return count_unread(call, services); }},
      {.method = http::Method::post,
       .path = "/api/v1/notifications/{notification_id}/read",
       .operation_id = "readNotification",
       .summary = "Marks one of the caller's notifications as read",
       .tag = "notifications",
       .access = own,
       .action = "notification.read",
       .target = "notification",
       .reply = http::replies<NotificationView>(200),
       .handler = [&services](Call& call) { return read_notification(call, services); }},
      {.method = http::Method::post,
       .path = "/api/v1/notifications/read-all",
       .operation_id = "readAllNotifications",
       .summary = "Marks all that the caller could see as read",
       .tag = "notifications",
       .access = own,
       .action = "notification.read_all",
       .target = "user",
       .reply = http::replies<AllRead>(200),
       .description = "What comes while this is answered stays unread.",
       .handler = [&services](Call& call) { return read_all_notifications(call, services); }},
  };
}

}  // namespace annolog::api
