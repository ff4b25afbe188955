#include "api/webhook_access.hpp"

#include "api/find_twice.hpp"
#include "api/visibility.hpp"
#include "domain/identity/refusals.hpp"
#include "projections/webhooks/queries.hpp"

namespace annolog::api {

std::string path_of(WebhookId id) { return "/api/v1/webhooks/" + std::to_string(id.value); }

std::string path_of(const DeliveryId& id) {
  return path_of(id.webhook_id) + "/deliveries/" + to_text(id);
}

awaitable<Result<void>> may_manage_webhooks(Call& call, Services& services,
                                            std::optional<ProjectId> project) {
  const auto& caller = call.caller();
  if (!project) {
    if (!may_globally(caller.role, Action::govern)) co_return forbidden(Action::govern);
    co_return success();
  }
  BOOST_OUTCOME_CO_TRY(co_await must_see_project(call, services, *project, "project"));
  co_return services.directory.require(caller.id, caller.role, *project, Action::administer);
}

awaitable<Result<WebhookView>> managed_webhook(Call& call, Services& services, WebhookId id) {
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, shard_of_id(services, id.value)));
  const auto find = [&] {
    return read(services, [&]() -> Result<std::optional<WebhookView>> {
      return projections::WebhookQueries(services.reads).find(id);
    });
  };
  BOOST_OUTCOME_CO_TRY(auto webhook, co_await find_twice(services, id.value, find));
  if (!webhook) co_return not_found("webhook");
  auto may = co_await may_manage_webhooks(call, services, webhook->project_id);
  // Others don't learn that there are global ones, or any of a project that they don't see.
  const bool is_hidden = !webhook->project_id || (!may && may.error().code == "NOT_FOUND");
  if (!may && is_hidden) co_return not_found("webhook");
  BOOST_OUTCOME_CO_TRY(std::move(may));
  co_return std::move(*webhook);
}

}  // namespace annolog::api
