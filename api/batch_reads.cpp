#include "api/batch_reads.hpp"

#include "api/find_twice.hpp"
#include "api/settled_reads.hpp"
#include "projections/batches/queries.hpp"

namespace annolog::api {

BatchRef batch_in_path(const Call& call) { return batch_ref_from(call.text("batch_id")); }

void complete(const Services& services, BatchView& batch) {
  if (batch.annotator_id) batch.annotator = services.directory.brief(*batch.annotator_id);
  if (batch.reviewer_id) batch.reviewer = services.directory.brief(*batch.reviewer_id);
}

awaitable<Result<BatchView>> batch_of_path(Call& call, Services& services) {
  const auto project = call.id<ProjectId>("project_id");
  const auto ref = batch_in_path(call);
  BOOST_OUTCOME_CO_TRY(
      co_await wait_for_reads(call, services, shard_of_id(services, project.value)));
  BOOST_OUTCOME_CO_TRY(co_await wait_until_settled(call, services, project));
  const auto find = [&] {
    return read(services, [&]() -> Result<std::optional<BatchView>> {
      return projections::BatchQueries(services.reads).find(project, ref);
    });
  };
  BOOST_OUTCOME_CO_TRY(auto found, co_await find_twice(services, project.value, find));
  if (!found) co_return not_found("batch");
  co_return std::move(*found);
}

http::Reply batch_reply(const Services& services, int status, BatchView view) {
  complete(services, view);
  const auto version = view.version;
  return http::reply(status, view).version(version);
}

awaitable<HandlerResult> change_batch(Call& call, Services& services, commands::Command command,
                                      std::string body_text) {
  BOOST_OUTCOME_CO_TRY(
      auto done, co_await run_command(call, services, std::move(command), std::move(body_text)));
  co_return written(batch_reply(services, 200, std::move(done.get<BatchView>())), done);
}

}  // namespace annolog::api
