// One reader's way through the change feed of a project: pages, waiting for the next one, whether
// it may go on. On the connection's I/O thread. docs/decisions/0028.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/change_watch.hpp"
#include "api/views/public_event.hpp"
#include "api/work.hpp"

namespace annolog::api {

struct FeedPage {
  std::vector<PublicEventView> items;
  bool caught_up = false;  // nothing more had happened
};

class FeedReader {
 public:
  using Deadline = std::chrono::steady_clock::time_point;
  struct From {
    ProjectId project_id;
    std::int64_t after = 0;
    std::int64_t limit = 100;
    std::int64_t bytes = projections::kFeedBytes;
    std::vector<std::string> types = {};
  };
  // Who waits looks around so often: a right may have ended, the client may have gone.
  static constexpr std::chrono::seconds kLookAround{1};

  FeedReader(Call& call, Services& services, From from);

  // The next page; where it ends is where the next one begins.
  awaitable<Result<FeedPage>> next();
  std::string position() const { return feed_position(shard_, from_.after); }

  // Until there may be a next page, kLookAround or the deadline. True: look.
  awaitable<bool> something(Deadline deadline);
  // Throws ClientGone when nobody reads; the refusal, when the caller would not be let in now.
  // False: that can't be judged now, as this node is behind, and nothing new may be shown.
  awaitable<Result<bool>> may_see() const;

 private:
  FeedPage read_page(std::int64_t most, std::int64_t& reached) const;

  Call& call_;
  Services& services_;
  From from_;
  commands::ShardId shard_;
};

// What "after" or Last-Event-ID says, as an offset in the project's shard; absent: its beginning.
// A place where the read models are not yet is waited for, then 503.
enum class SaidBy : std::uint8_t { query, header };
awaitable<Result<std::int64_t>> feed_start(Call& call, Services& services, ProjectId project,
                                           const std::optional<std::string>& text, SaidBy by);

// A 200 that goes on until the caller's right ends, or the service. `place` is held as long.
http::Reply event_stream(Call& call, Services& services, FeedReader::From from,
                         std::shared_ptr<const void> place);

}  // namespace annolog::api
