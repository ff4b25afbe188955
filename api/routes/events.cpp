// The change feed of a project: a page, a page that is waited for, or a stream.
#include <boost/describe/class.hpp>

#include "api/change_feed.hpp"
#include "api/http/text.hpp"
#include "api/places.hpp"
#include "api/routes/tables.hpp"

namespace annolog::api {

struct EventsQuery {
  std::optional<std::string> after;
  std::int64_t limit = 100;
  std::vector<std::string> types;
  std::int64_t wait = 0;
};
BOOST_DESCRIBE_STRUCT(EventsQuery, (), (after, limit, types, wait))

struct EventsPage {
  std::vector<PublicEventView> items;
  std::string next_position;
  bool caught_up = false;
};
BOOST_DESCRIBE_STRUCT(EventsPage, (), (items, next_position, caught_up))

namespace {

constexpr std::int64_t kMaxEvents = 1000;
constexpr std::int64_t kMaxWaitS = 60;

std::vector<std::string> public_types() {
  std::vector<std::string> types;
  for (const auto& rule : codec::public_rules())
    if (rule.is_public()) types.emplace_back(rule.type);
  return types;
}

}  // namespace
}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::EventsQuery> {
  static void apply(ObjectRules& rules) {
    rules.field("limit").defaulted().range(1, static_cast<double>(api::kMaxEvents));
    rules.field("after").describe(
        "Go on behind this position: an event's, a next_position, or the X-Event-Position of a "
        "write to the project; now: only what comes from now on. Absent: from the beginning.");
    rules.field("types")
        .defaulted()
        .describe("Only events of these types.")
        .each()
        .one_of(api::public_types());
    rules.field("wait")
        .defaulted()
        .range(0, api::kMaxWaitS)
        .describe("Seconds to wait when there is no event yet. A stream waits anyway.");
  }
};

template <>
struct SchemaRules<api::PublicEventView> {
  static constexpr std::string_view kName = "PublicEvent";
  static void apply(ObjectRules& rules) {
    rules.describe("What happened in a project; docs/change-feed.md has the types and their data.");
    rules.field("type").one_of(api::public_types());
    rules.field("version").describe("Of the type's form: higher when it changed.");
    rules.field("actor").describe("Null: the service itself. The name is empty of who was erased.");
    rules.field("position").describe("To go on behind this event.");
    rules.field("data").describe("What the type says; there may be more members later.");
  }
};

template <>
struct SchemaRules<api::EventsPage> {
  static void apply(ObjectRules& rules) {
    rules.field("next_position").describe("Where to go on, as after.");
    rules.field("caught_up").describe("There was no more: wait before the next call, or by wait.");
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

DomainError too_many_readers(std::int64_t each) {
  return {DomainError::Kind::limited,
          "TOO_MANY_STREAMS",
          "At most " + std::to_string(each) + " streams and waiting calls of a user run at once.",
          {},
          {},
          5};
}

struct Feeding {
  explicit Feeding(Services& s)
      : services(s),
        places({.all = static_cast<std::size_t>(s.options.event_readers),
                .each = static_cast<std::size_t>(s.options.event_readers_of_user)},
               too_many_readers(s.options.event_readers_of_user),
               s.metrics.gauge({"event_readers",
                                "Open streams of project events, and calls that wait for one"})) {}

  Services& services;
  Places places;  // of streams and of calls that wait
};

bool wants_stream(const http::RequestHead& head) {
  const std::string accepted = head.joined("accept");
  for (std::string_view rest = accepted; !rest.empty();) {
    std::string_view range = http::take_until(rest, ',');
    const auto type = http::trim(http::take_until(range, ';'));
    if (http::equals_ignoring_case(type, "text/event-stream")) return true;
  }
  return false;
}

awaitable<HandlerResult> page_of(Call& call, Feeding& on, FeedReader reader) {
  Services& services = on.services;
  const auto until =
      std::chrono::steady_clock::now() + std::chrono::seconds(call.query<EventsQuery>().wait);
  Places::Place place;
  for (;;) {
    BOOST_OUTCOME_CO_TRY(auto page, co_await reader.next());
    const auto over = [&] {
      return services.stopping || std::chrono::steady_clock::now() >= until;
    };
    if (!page.items.empty() || over()) {
      BOOST_OUTCOME_CO_TRY(const bool judged, co_await reader.may_see());  // as of what is shown
      if (!judged) co_return read_model_behind();
      co_return http::reply(200,
                            EventsPage{std::move(page.items), reader.position(), page.caught_up});
    }
    if (!place) {
      BOOST_OUTCOME_CO_TRY(place, on.places.take(call.caller().id.value));
    }
    bool look = !page.caught_up;
    while (!look && !over()) {
      look = co_await reader.something(until);
      BOOST_OUTCOME_CO_TRY(co_await reader.may_see());
    }
  }
}

awaitable<HandlerResult> project_events(Call& call, Feeding& on) {
  Services& services = on.services;
  const auto project = call.id<ProjectId>("project_id");
  const auto& query = call.query<EventsQuery>();
  const bool stream = wants_stream(call.head());
  BOOST_OUTCOME_CO_TRY(
      co_await wait_for_reads(call, services, shard_of_id(services, project.value)));
  std::optional<std::string> start = query.after;
  SaidBy by = SaidBy::query;
  if (const auto last = call.head().header("last-event-id"); stream && last && !last->empty()) {
    start = std::string(*last);  // it came back: `after` is where it began
    by = SaidBy::header;
  }
  BOOST_OUTCOME_CO_TRY(const auto after, co_await feed_start(call, services, project, start, by));
  FeedReader::From from{
      .project_id = project, .after = after, .limit = query.limit, .types = query.types};
  if (!stream) co_return co_await page_of(call, on, FeedReader(call, services, std::move(from)));
  BOOST_OUTCOME_CO_TRY(auto place, on.places.take(call.caller().id.value));
  co_return event_stream(call, services, std::move(from), std::move(place));
}

constexpr const char* kDescription =
    "Everything that happened in the project and that its members may know, in the order in which "
    "it happened, each event at least once. What an event tells of can be read before the event "
    "is here. A page: items behind `after`; with `wait` a call that finds none answers as soon as "
    "there is one, else an empty page with the position to go on from. With Accept: "
    "text/event-stream a stream of Server-Sent Events that stays open: `id` is the position, "
    "`event` the type, `data` one line with a PublicEvent; a reader comes back with Last-Event-ID. "
    "It ends when the caller's right or token ends, and when the service stops. Events of tasks "
    "that were removed with their dataset are gone with them. 429 TOO_MANY_STREAMS or 503 when too "
    "many wait or stream.";

}  // namespace

http::RouteTable event_routes(Services& services) {
  const auto on = std::make_shared<Feeding>(services);
  return {
      {.method = http::Method::get,
       .path = "/api/v1/projects/{project_id}/events",
       .operation_id = "listProjectEvents",
       .summary = "What happened in a project: a page, by waiting for it, or as a stream",
       .tag = "events",
       .access = http::Access::needs(Action::read_project, http::Scope::project),
       .query = http::query_of<EventsQuery>(),
       .reply = http::or_as(http::replies<EventsPage>(200), "text/event-stream"),
       .description = kDescription,
       .handler = [on](Call& call) { return project_events(call, *on); }},
  };
}

}  // namespace annolog::api
