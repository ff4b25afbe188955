// What most handlers do: send a command and wait for its outcome; wait for the read models and read
// on the blocking pool; give the answer its headers.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/http/blocking.hpp"
#include "api/http/call.hpp"
#include "api/http/reply.hpp"
#include "api/page_json.hpp"
#include "api/read_refusals.hpp"
#include "api/services.hpp"
#include "commands/reply.hpp"
#include "domain/codec/domain_json.hpp"
#include "domain/notification/view.hpp"

namespace annolog::api {

using http::awaitable;
using http::Call;
using http::HandlerResult;

// A command that was decided and is durable.
struct Done {
  commands::Reply reply;
  std::optional<commands::Position> position;
  bool replayed = false;

  template <class T>
  T& get() {
    return std::get<T>(reply);
  }
};

// Any function that takes an envelope and calls its `done` once: the bus, or a process manager.
using Send = std::function<void(commands::Envelope)>;

// `body_text` is the canonical body: with method and path it makes the idempotency fingerprint.
awaitable<Result<Done>> run_command(Call& call, Services& services, commands::Command command,
                                    std::string body_text = {});
// For a look that records nothing: no idempotency key goes with it.
awaitable<Result<Done>> look(Call& call, Services& services, commands::Command command);
// For what can't be answered again, as it holds a secret.
awaitable<Result<Done>> run_unkeyed(Call& call, Services& services, commands::Command command,
                                    Send send);
awaitable<Result<Done>> run_through(Call& call, Services& services, commands::Command command,
                                    std::string body_text, Send send);

// Whether an outcome says that the log took no command: it would take no row of the audit either.
bool is_refused_by_log(const DomainError& error);

// The answer to a write: X-Event-Position, Idempotency-Replayed.
http::Reply written(http::Reply reply, const Done& done);
http::Reply written(http::Reply reply, const std::vector<commands::Position>& positions,
                    bool replayed);

// Waits until the read models have what this node acknowledged in `shards` (empty: in all) before
// the request, and what X-Event-Position names. 503 READ_MODEL_BEHIND when it takes too long.
awaitable<Result<void>> wait_for_reads(Call& call, Services& services,
                                       std::vector<commands::ShardId> shards);

// After what shuts a door: this node has heard of it too when another one decided (docs/decisions,
// 0014). When the log or the read models are away it answers all the same: the door is shut.
awaitable<void> hear_directory(Call& call, Services& services);

// The one shard that holds what the id names, for wait_for_reads().
inline std::vector<commands::ShardId> shard_of_id(const Services& services, std::int64_t id) {
  return {commands::shard_of(id, services.bus.shard_count())};
}

// Runs `query` on the read threads; a database that is away is a 503.
template <class Query>
awaitable<http::BlockingResult<Query>> read(Services& services, Query query) {
  using Answer = http::BlockingResult<Query>;
  co_return co_await http::blocking(services.read_threads, [&query]() -> Answer {
    try {
      return Answer(query());
    } catch (const projections::ReadUnavailable&) {
      return reads_away();
    }
  });
}

// Fills the names that only this side knows.
void complete(const Services& services, TaskView& task);
void complete(const Services& services, CommentView& comment);
void complete(const Services& services, ProjectView& project);
void complete(const Services& services, MemberView& member);
void complete(const Services& services, UserView& user);
void complete(const Services& services, NotificationView& notification);

// Where clients reach the service: the setting, else as this request was sent.
std::string base_url(const Call& call, const Services& services);

struct SignedLink {
  std::string url;
  Timestamp expires_at;
};

// A signed URL to read an object, absolute, and until when.
SignedLink download_link(const Call& call, const Services& services, const std::string& file_path);
std::string download_url(const Call& call, const Services& services, const std::string& file_path);

}  // namespace annolog::api
