// Who may see and change webhooks: those of a project its project_admins and owner, global ones
// super_admins. The decider asks the same again.
#pragma once

#include <optional>
#include <string>

#include <boost/describe/class.hpp>

#include "api/work.hpp"
#include "domain/webhook/delivery_id.hpp"
#include "domain/webhook/view.hpp"

namespace annolog::api {

// What is sent a moment later.
struct DeliveryAccepted {
  std::string delivery_id;
};
BOOST_DESCRIBE_STRUCT(DeliveryAccepted, (), (delivery_id))

std::string path_of(WebhookId id);
std::string path_of(const DeliveryId& id);

// Absent: of all projects.
awaitable<Result<void>> may_manage_webhooks(Call& call, Services& services,
                                            std::optional<ProjectId> project);
// 404 when it is not there or not to be seen, 403 when the caller may not manage it.
awaitable<Result<WebhookView>> managed_webhook(Call& call, Services& services, WebhookId id);

}  // namespace annolog::api
