#include "api/batch_people.hpp"

#include <algorithm>

#include "api/second_look.hpp"
#include "commands/position.hpp"

namespace annolog::api {
namespace {

bool fits(const Services& services, const NamedPerson& person) {
  const auto user = services.directory.user(person.id);
  return user && user->active && user->role >= person.least;
}

FieldError refusal(const Services& services, const NamedPerson& person) {
  const auto user = services.directory.user(person.id);
  if (!user || !user->active) {
    return {person.loc, "No active user has this id.", "unknown_user"};
  }
  const bool reviews = person.least == Role::reviewer;
  return {person.loc,
          "The user's global role is below " + std::string(to_string(person.least)) + ".",
          reviews ? "not_a_reviewer" : "not_an_annotator"};
}

}  // namespace

http::awaitable<Result<void>> check_named_people(http::Call& call, Services& services,
                                                 std::vector<NamedPerson> people) {
  if (people.empty()) co_return success();
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {commands::kDirectory}));
  const auto all_fit = [&] {
    return std::ranges::all_of(people, [&](const auto& one) { return fits(services, one); });
  };
  // Another node may just have made or raised them.
  if (!all_fit()) {
    BOOST_OUTCOME_CO_TRY(co_await services.second_look.at(commands::kDirectory));
  }
  std::vector<FieldError> errors;
  for (const auto& person : people) {
    if (!fits(services, person)) errors.push_back(refusal(services, person));
  }
  if (!errors.empty()) co_return validation_error(std::move(errors));
  co_return success();
}

std::vector<NamedPerson> named_people(const std::optional<UserId>& annotator,
                                      const std::optional<UserId>& reviewer) {
  std::vector<NamedPerson> people;
  if (annotator) people.push_back({*annotator, Role::annotator, {"annotator_id"}});
  if (reviewer) people.push_back({*reviewer, Role::reviewer, {"reviewer_id"}});
  return people;
}

}  // namespace annolog::api
