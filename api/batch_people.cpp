#include "api/batch_people.hpp"

#include <utility>

#include "api/second_look.hpp"
#include "commands/position.hpp"
#include "projections/batches/queries.hpp"

namespace annolog::api {
namespace {

std::vector<UserId> below(const Services& services, std::vector<UserId> people, Role least) {
  std::erase_if(people, [&](UserId id) {
    const auto user = services.directory.user(id);
    return user && user->active && user->role >= least;
  });
  return people;
}

std::vector<UserId> list_of(const std::optional<UserId>& one) {
  return one ? std::vector{*one} : std::vector<UserId>{};
}

}  // namespace

http::awaitable<Result<UnfitPeople>> unfit_people(http::Call& call, Services& services,
                                                  std::vector<UserId> annotators,
                                                  std::vector<UserId> reviewers) {
  if (annotators.empty() && reviewers.empty()) co_return UnfitPeople{};
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {commands::kDirectory}));
  const auto look = [&] {
    return UnfitPeople{below(services, annotators, Role::annotator),
                       below(services, reviewers, Role::reviewer)};
  };
  UnfitPeople unfit = look();
  if (unfit.annotators.empty() && unfit.reviewers.empty()) co_return unfit;
  // Another node may just have made or raised them.
  BOOST_OUTCOME_CO_TRY(co_await services.second_look.at(commands::kDirectory));
  co_return look();
}

http::awaitable<Result<UnfitPeople>> unfit_people(http::Call& call, Services& services,
                                                  const std::optional<UserId>& annotator,
                                                  const std::optional<UserId>& reviewer) {
  co_return co_await unfit_people(call, services, list_of(annotator), list_of(reviewer));
}

http::awaitable<UnfitPeople> unfit_annotators(http::Call& call, Services& services,
                                              ProjectId project, std::vector<BatchRef> batches) {
  const auto there = co_await wait_for_reads(call, services, shard_of_id(services, project.value));
  if (!there) co_return UnfitPeople{};
  auto annotators = co_await read(services, [&]() -> Result<std::vector<UserId>> {
    return projections::BatchQueries(services.reads).annotators(project, batches);
  });
  if (!annotators) co_return UnfitPeople{};
  auto unfit = co_await unfit_people(call, services, std::move(annotators).value(), {});
  if (!unfit) co_return UnfitPeople{};
  co_return std::move(unfit).value();
}

}  // namespace annolog::api
