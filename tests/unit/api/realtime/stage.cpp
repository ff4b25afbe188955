#include "tests/unit/api/realtime/stage.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "api/http/query_string.hpp"
#include "api/http/route.hpp"
#include "domain/codec/events.hpp"
#include "domain/identity/refusals.hpp"

namespace annolog::api::realtime {

using commands::Offset;
using commands::Position;
using commands::ShardId;

Position MemoryLog::append(ShardId shard, const Event& event, UserId actor) {
  const auto encoded = codec::encode_event(event);
  eventstore::RecordHeaders headers;
  headers.type = encoded.type;
  headers.schema_version = encoded.version;
  headers.subject = encoded.subject;
  headers.actor = std::to_string(actor.value);
  return append(shard, std::move(headers), encoded.data);
}

Position MemoryLog::append(ShardId shard, eventstore::RecordHeaders headers, std::string data) {
  const std::lock_guard guard(mutex_);
  auto& records = records_[shard];
  eventstore::Record record;
  record.position = {shard, Offset{records.size() + 1}};
  record.headers = std::move(headers);
  record.headers.time_ms = 1'750'000'000'000;
  record.data = std::move(data);
  records.push_back(record);
  return record.position;
}

std::vector<eventstore::Record> MemoryLog::read(ShardId shard, Offset after, std::size_t most) {
  const std::lock_guard guard(mutex_);
  const auto& records = records_[shard];
  const auto first = std::min<std::size_t>(after.value, records.size());
  const auto count = std::min(most, records.size() - first);
  const auto begin = records.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

awaitable<Result<Holder>> ToyDoor::admit(const Presented& shown) {
  const std::string& token = shown.token.empty() ? shown.cookie_token : shown.token;
  if (const std::int64_t ms = slow_by_ms_; ms > 0) {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor,
                                    std::chrono::milliseconds(ms));
    co_await timer.async_wait(boost::asio::use_awaitable);
  }
  if (!token.starts_with("u") && !token.starts_with("k"))
    co_return unauthenticated("INVALID_TOKEN", "It is void.");
  Holder holder;
  holder.caller.by_api_key = token.starts_with("k");
  holder.caller.id = UserId{std::stoll(token.substr(1))};
  holder.caller.role = Role::annotator;
  holder.expires_at = clock_.now() + life_ms_.load();
  co_return holder;
}

std::optional<Role> ToyDoor::still_admits(const Holder& holder) const {
  const std::lock_guard guard(mutex_);
  if (shut_out_.contains(holder.caller.id)) return std::nullopt;
  return Role::annotator;
}

awaitable<Result<ProjectId>> ToyRights::admit(const http::Caller& caller, const Channel& channel) {
  if (channel.id == 404) co_return not_found("channel");
  if (!allows(caller, channel, ProjectId{1})) co_return forbidden(std::string("super_admin"));
  co_return ProjectId{1};
}

bool ToyRights::allows(const http::Caller& caller, const Channel& channel, ProjectId) const {
  switch (rule_of(channel).audience) {
    case Audience::readers: return !hidden_;
    case Audience::super_admins: return caller.id == UserId{1};
    case Audience::oneself: break;
  }
  return caller.id.value == channel.id;
}

std::vector<NewNotification> ToyNotifications::made_by(ShardId shard, Offset after, Offset upto) {
  const std::lock_guard guard(mutex_);
  std::vector<NewNotification> found;
  for (const auto& each : made_) {
    const auto& at = each.position;
    if (at.shard == shard && at.offset > after && at.offset <= upto) found.push_back(each);
  }
  return found;
}

std::vector<NewNotification> ToyNotifications::of_user_since(UserId user, const Cursor& after,
                                                             const Cursor& /*upto*/,
                                                             std::size_t most) {
  const std::lock_guard guard(mutex_);
  std::vector<NewNotification> found;
  for (const auto& each : made_) {
    if (each.user_id == user && !after.covers(each.position) && found.size() <= most)
      found.push_back(each);
  }
  return found;
}

ChannelKinds TestPublisher::kinds_of(std::string_view event_type) const {
  using Kind = Channel::Kind;
  if (event_type == kType) return {Kind::preannotate, Kind::tracker_job, Kind::prediction_jobs};
  return events_.kinds_of(event_type);
}

std::vector<EventFrame> TestPublisher::frames_of(const eventstore::Record& record) const {
  if (record.headers.type != kType) return events_.frames_of(record);
  std::vector<EventFrame> frames;
  for (const auto& each : nlohmann::json::parse(record.data)) {
    frames.push_back({channel_of(each.at("channel").get<std::string>()).value(),
                      {each.at("type"), each.at("data"), each.at("bare"), each.at("last")}});
  }
  return frames;
}

std::string TestPublisher::data_of(const std::vector<EventFrame>& frames) {
  auto data = nlohmann::json::array();
  for (const auto& [channel, frame] : frames) {
    data.push_back({{"channel", name_of(channel)},
                    {"type", frame.type},
                    {"data", frame.data},
                    {"bare", frame.bare},
                    {"last", frame.last}});
  }
  return data.dump();
}

class Stage::NoGate final : public http::Gate {
 public:
  awaitable<Result<http::Caller>> authenticate(const http::RequestHead&,
                                               const http::Access&) override {
    co_return http::Caller{};
  }
  awaitable<Result<void>> authorise(const http::Caller&, const http::Access&,
                                    const http::PathParams&) override {
    co_return success();
  }
};

class Stage::NoObserver final : public http::RequestObserver {
 public:
  void finished(const http::RequestRecord&) noexcept override {}
  void failed(const http::RequestRecord&, std::string_view) noexcept override {}
};

namespace {

http::Route socket_route(Hub& hub, std::string path, SocketKind kind, std::string id) {
  return {.method = http::Method::get,
          .path = std::move(path),
          .operation_id = "open" + std::to_string(static_cast<int>(kind)),
          .summary = "A socket",
          .tag = "realtime",
          .access = http::Access::open(),
          .upgrades = true,
          .handler = [&hub, kind,
                      id = std::move(id)](http::Call& call) -> awaitable<http::HandlerResult> {
            Opening opening{.kind = kind, .id = id.empty() ? 0 : call.number(id), .shown = {}};
            opening.shown.token = http::query_value(call.head().query, "token").value_or("");
            hub.serve(call.take_socket(), std::move(opening));
            co_return http::no_content();
          }};
}

http::RouteTable socket_routes_of(Hub& hub) {
  return {socket_route(hub, "/ws", SocketKind::multiplexed, ""),
          socket_route(hub, "/ws/notifications", SocketKind::notifications, ""),
          socket_route(hub, "/ws/projects/{project_id}/preannotate", SocketKind::preannotate,
                       "project_id"),
          socket_route(hub, "/ws/video-tracker-jobs/{job_id}", SocketKind::tracker_job, "job_id"),
          socket_route(hub, "/ws/prediction-jobs", SocketKind::prediction_jobs, "")};
}

}  // namespace

Stage::Stage(RealtimeOptions given)
    : options(given),
      logger(clock, platform::LogLevel::error, [](std::string_view) {}),
      missed({options,
              [this](ShardId shard, Offset after, std::size_t most) {
                return log.read(shard, after, most);
              },
              frames, notifications, logger}),
      hub({options, door, rights, interest, missed, replays, clock, logger, metrics, kShards}),
      feed({.read = [this](ShardId shard, Offset after,
                           std::size_t most) { return log.read(shard, after, most); },
            .frames = frames,
            .barrier = barrier,
            .interest = interest,
            .notifications = notifications,
            .publish = [this](const Batch& batch) { hub.publish(batch); },
            .shards = kShards,
            .clock = clock,
            .logger = logger,
            .metrics = metrics}),
      gate_(std::make_unique<NoGate>()),
      observer_(std::make_unique<NoObserver>()),
      router_(std::make_unique<http::Router>(socket_routes_of(hub))) {
  barrier.on_set([this](ShardId shard) { feed.on_shown(shard); });
  feed.start(projections::Positions(kShards));
  server = std::make_unique<http::Server>(
      http::ServerOptions{.port = 0, .io_threads = 2},
      http::ServerParts{*router_, *gate_, clock, *observer_, bodies_});
  server->start();
}

Stage::~Stage() {
  hub.stop();
  server->stop(std::chrono::seconds(5));
  feed.stop();
  replays.stop(std::chrono::seconds(5));
}

Position Stage::commits(const Event& event, std::uint16_t shard) {
  return log.append(ShardId{shard}, event);
}

Position Stage::happens(const Event& event, std::uint16_t shard) {
  const Position at = commits(event, shard);
  show(at);
  return at;
}

Position Stage::commits_published(const std::vector<EventFrame>& told, std::uint16_t shard) {
  eventstore::RecordHeaders headers;
  headers.type = TestPublisher::kType;
  return log.append(ShardId{shard}, std::move(headers), TestPublisher::data_of(told));
}

Position Stage::publishes(const std::vector<EventFrame>& told, std::uint16_t shard) {
  const Position at = commits_published(told, shard);
  show(at);
  return at;
}

std::unique_ptr<WebSocketClient> Stage::listening(const std::string& channel,
                                                  const std::string& after) {
  auto client = open("/ws?token=u7");
  client->say(subscribe_text(channel, after));
  EXPECT_EQ(client->message().value("type", ""), "subscribed");
  return client;
}

double Stage::open_sockets() const {
  double open = 0;
  for (const auto& gauge : hub.metrics().open) open += gauge.value();
  return open;
}

std::string subscribe_text(const std::string& channel, const std::string& after) {
  nlohmann::json wish{{"type", "subscribe"}, {"channel", channel}};
  if (!after.empty()) wish["after"] = after;
  return wish.dump();
}

TaskLocked locked(std::int64_t task, std::int64_t user) {
  return {ProjectId{1}, TaskId{task}, UserId{user}, Timestamp{1'750'000'600'000}};
}

}  // namespace annolog::api::realtime
