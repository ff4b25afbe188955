// The people that a call about batches names. Whether they are members of the project, its shard
// knows; whether they are active and what they may be at most, the directory does. The second is
// looked up here and goes with the command: the decider refuses, behind the look for a retry's key.
#pragma once

#include <vector>

#include "api/services.hpp"
#include "api/work.hpp"
#include "domain/batch/commands.hpp"

namespace annolog::api {

// Those among them who can't work in their place, whatever the project says.
http::awaitable<Result<UnfitPeople>> unfit_people(http::Call& call, Services& services,
                                                  std::vector<UserId> annotators,
                                                  std::vector<UserId> reviewers);

// Of a body that names one of each, or none.
http::awaitable<Result<UnfitPeople>> unfit_people(http::Call& call, Services& services,
                                                  const std::optional<UserId>& annotator,
                                                  const std::optional<UserId>& reviewer);

// Of the annotators of batches that are to become active, as far as the read models tell who they
// are: without them the step is decided by what the project knows.
http::awaitable<UnfitPeople> unfit_annotators(http::Call& call, Services& services,
                                              ProjectId project, std::vector<BatchRef> batches);

}  // namespace annolog::api
