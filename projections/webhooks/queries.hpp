// Reads of webhooks and of what they were told. Any thread, blocking, errors as in
// queries/read_pool.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/webhook/delivery_id.hpp"
#include "domain/webhook/view.hpp"
#include "projections/queries/page.hpp"
#include "projections/queries/read_pool.hpp"
#include "projections/queries/seen_projects.hpp"
#include "projections/webhooks/outbound.hpp"

namespace annolog::projections {

// A webhook as its deliveries need it.
struct WebhookTarget {
  WebhookId id;
  std::optional<ProjectId> project_id;
  std::int64_t log_offset = 0;  // since when it is active: in its own shard,
  Timestamp active_since;       // and for the others
  std::string url;
  std::vector<std::string> events;
  bool active = false;
  std::string nonce;
  std::optional<std::string> previous_nonce;
  std::optional<Timestamp> previous_until;
  Timestamp updated_at;
};

struct DeliveryRow {
  std::int64_t number = 0;  // in the order of making
  DeliveryId id;
  std::string event;
  DeliveryStatus status = DeliveryStatus::waiting;
  std::int64_t attempts = 0;
  Timestamp created_at;
  std::optional<Timestamp> next_attempt_at;  // absent: it waits for an earlier one, or is done
  std::optional<Timestamp> done_at;
};

struct DeliveryAttempt {
  std::int64_t number = 0;
  Timestamp at;
  std::int64_t duration_ms = 0;
  std::optional<std::int64_t> status_code;
  std::optional<std::string> error;
  std::string response;
};
BOOST_DESCRIBE_STRUCT(DeliveryAttempt, (), (number, at, duration_ms, status_code, error, response))

struct DeliveryDetail {
  DeliveryRow row;
  std::string body;
  std::vector<DeliveryAttempt> attempts;  // oldest first
};

struct DeliveryFilter {
  std::optional<DeliveryStatus> status;
  std::optional<std::string> event;
};

struct DeliveryNumber {
  std::int64_t value = 0;
};

class WebhookQueries {
 public:
  explicit WebhookQueries(ReadPool& pool) : pool_(&pool) {}

  std::optional<WebhookView> find(WebhookId id) const;
  // In order of id. `seen.all`: global ones too.
  Page<WebhookView, WebhookId> list(const SeenProjects& seen, std::optional<WebhookId> after,
                                    std::int64_t limit) const;
  std::vector<WebhookTarget> targets() const;
  DisplayNumbers numbers(const std::vector<TaskId>& tasks,
                         const std::vector<BatchId>& batches) const;

  // Newest first.
  Page<DeliveryRow, DeliveryNumber> deliveries(WebhookId id, const DeliveryFilter& filter,
                                               std::optional<DeliveryNumber> before,
                                               std::int64_t limit) const;
  std::optional<DeliveryDetail> delivery(const DeliveryId& id) const;

 private:
  ReadPool* pool_;
};

}  // namespace annolog::projections
