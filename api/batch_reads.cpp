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

}  // namespace annolog::api
