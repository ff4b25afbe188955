#include "api/change_feed.hpp"

#include <algorithm>
#include <utility>

#include "api/await_callback.hpp"
#include "projections/feed/queries.hpp"
#include "projections/history/queries.hpp"

namespace annolog::api {
namespace {

constexpr std::string_view kNow = "now";
constexpr const char* kAllowedPositions =
    "Must be the position of an event, a next_position, an X-Event-Position of a write to the "
    "project, or the word now.";

DomainError refused(SaidBy by, std::string message, const char* type) {
  if (by == SaidBy::query) return validation_error({{{"after"}, std::move(message), type}});
  return {DomainError::Kind::bad_request,
          "INVALID_POSITION",
          "Last-Event-ID is not one that this feed gave.",
          {},
          {},
          0};
}

awaitable<bool> reached(Call& call, Services& services, commands::Position position) {
  const auto until =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(services.options.read_wait_ms);
  co_return co_await await_callback<bool>(call.executor(), [&](std::function<void(bool)> done) {
    services.barrier.when_reached(position.shard, position.offset, until, std::move(done));
  });
}

bool asks_for_names(const std::vector<PastEvent>& events) {
  return std::ranges::any_of(
      events, [](const PastEvent& event) { return codec::asks_for_class_names(event.event); });
}

}  // namespace

FeedReader::FeedReader(Call& call, Services& services, From from)
    : call_(call),
      services_(services),
      from_(std::move(from)),
      shard_(commands::shard_of(from_.project_id.value, services.bus.shard_count())) {}

FeedPage FeedReader::read_page(std::int64_t most, std::int64_t& reached) const {
  const projections::FeedAsk ask{.project_id = from_.project_id,
                                 .shard = shard_,
                                 .after = from_.after,
                                 .most = most,
                                 .limit = from_.limit,
                                 .bytes = from_.bytes,
                                 .types = from_.types};
  const auto slice = projections::FeedQueries(services_.reads).read(ask);
  std::optional<projections::ClassNames> classes;
  if (asks_for_names(slice.events))
    classes = projections::HistoryQueries(services_.reads).class_names(from_.project_id);
  FeedPage page;
  page.caught_up = slice.caught_up;
  page.items.reserve(slice.events.size());
  for (const PastEvent& event : slice.events) {
    const auto name_of = [&](ClassId id) {
      return classes ? std::string(classes->name(id, {.log_offset = event.position}))
                     : std::string();
    };
    auto view = public_event_view(event, {from_.project_id, shard_}, name_of);
    if (!view) continue;
    if (view->actor) view->actor->name = services_.directory.brief(view->actor->id).name;
    page.items.push_back(std::move(*view));
  }
  reached = slice.reached;
  return page;
}

// No further than this node has heard: what it judges rights by is as new as what it shows.
awaitable<Result<FeedPage>> FeedReader::next() {
  const auto most = static_cast<std::int64_t>(services_.barrier.applied(shard_).value);
  std::int64_t reached = from_.after;
  BOOST_OUTCOME_CO_TRY(auto page, co_await read(services_, [&]() -> Result<FeedPage> {
                         return read_page(most, reached);
                       }));
  from_.after = reached;
  co_return std::move(page);
}

awaitable<bool> FeedReader::something(Deadline deadline) {
  const auto until = std::min(deadline, std::chrono::steady_clock::now() + kLookAround);
  const auto heard = co_await await_callback<ChangeWatch::Heard>(
      call_.executor(), [&](ChangeWatch::Callback done) {
        services_.changes.wait({from_.project_id, shard_, from_.after}, until, std::move(done));
      });
  from_.after = std::max(from_.after, heard.after);
  co_return heard.news;
}

awaitable<Result<bool>> FeedReader::may_see() const {
  if (call_.client_has_gone()) throw http::ClientGone();
  const auto admitted = co_await call_.admit_again();
  if (admitted) co_return true;
  if (admitted.error().kind == DomainError::Kind::unavailable) co_return false;
  co_return admitted.error();
}

awaitable<Result<std::int64_t>> feed_start(Call& call, Services& services, ProjectId project,
                                           const std::optional<std::string>& text, SaidBy by) {
  const auto shard = commands::shard_of(project.value, services.bus.shard_count());
  if (!text) co_return 0;
  if (*text == kNow && by == SaidBy::query)
    co_return static_cast<std::int64_t>(services.barrier.applied(shard).value);
  const auto named = parse_position_token(*text, services.bus.shard_count());
  if (!named) co_return refused(by, kAllowedPositions, "wrong_format");
  const auto found = std::ranges::find_if(*named, [&](const auto& p) { return p.shard == shard; });
  if (found == named->end())
    co_return refused(by, "Must be a position of this project.", "foreign_position");
  if (!co_await reached(call, services, *found)) co_return read_model_behind();
  co_return static_cast<std::int64_t>(found->offset.value);
}

}  // namespace annolog::api
