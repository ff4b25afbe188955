#include "api/moments.hpp"

#include <algorithm>
#include <chrono>

#include "api/await_callback.hpp"

namespace annolog::api {
namespace {

constexpr const char* kAllowedMoments =
    "Must be a time (RFC 3339, e.g. 2026-01-31T08:00:00Z) or an X-Event-Position that a write was "
    "answered with.";

DomainError refused(const char* field, std::string msg, const char* type) {
  return validation_error({{{field}, std::move(msg), type}});
}

awaitable<Result<Moment>> at_position(Call& call, Services& services, const char* field,
                                      const std::string& text, std::int64_t id) {
  const auto named = parse_position_token(text, services.bus.shard_count());
  if (!named) co_return refused(field, kAllowedMoments, "wrong_format");
  const auto shard = commands::shard_of(id, services.bus.shard_count());
  const auto found = std::ranges::find_if(*named, [&](const auto& p) { return p.shard == shard; });
  if (found == named->end()) {
    co_return refused(field, "Must be the position of a write to the same project.",
                      "foreign_position");
  }
  const auto until =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(services.options.read_wait_ms);
  const bool reached =
      co_await await_callback<bool>(call.executor(), [&](std::function<void(bool)> done) {
        services.barrier.when_reached(shard, found->offset, until, std::move(done));
      });
  if (!reached) co_return read_model_behind();
  Moment moment;
  moment.is_now = false;
  moment.until.log_offset = static_cast<std::int64_t>(found->offset.value);
  co_return moment;
}

}  // namespace

awaitable<Result<Moment>> moment_of(Call& call, Services& services, const char* field,
                                    const std::optional<std::string>& text, std::int64_t id) {
  Moment moment;
  if (!text) co_return moment;
  if (text->starts_with("p1.")) {
    co_return co_await at_position(call, services, field, *text, id);
  }
  const auto at = from_rfc3339(*text);
  if (!at) co_return refused(field, kAllowedMoments, "wrong_format");
  if (*at > call.now() + kAheadMs) {
    co_return refused(field,
                      "Must not lie in the future; now it is " + to_rfc3339(call.now()) + ".",
                      "out_of_range");
  }
  moment.is_now = false;
  moment.until.at = *at;
  moment.time = *at;
  co_return moment;
}

void moment_rule(http::ObjectRules& rules, std::string_view field, std::string_view what) {
  rules.field(field).length(1, 4096).describe(
      std::string(what) +
      " A time (RFC 3339, with all that happened in its millisecond) or an "
      "X-Event-Position of a write to the same project.");
}

}  // namespace annolog::api
