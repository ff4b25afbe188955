// The people that a call about batches names. Whether they are members of the project, its shard
// knows; whether they are active and what they may be at most, the directory does. The second is
// asked here, before the command goes off.
#pragma once

#include <optional>
#include <vector>

#include "api/services.hpp"
#include "api/work.hpp"
#include "domain/support/patch.hpp"

namespace annolog::api {

struct NamedPerson {
  UserId id;
  Role least;    // globally
  Location loc;  // in the body
};

// Refuses those who are no active users, or whose global role is below what they are named for.
http::awaitable<Result<void>> check_named_people(http::Call& call, Services& services,
                                                 std::vector<NamedPerson> people);

// The annotator and the reviewer of a body that names one each, or none.
std::vector<NamedPerson> named_people(const std::optional<UserId>& annotator,
                                      const std::optional<UserId>& reviewer);
inline std::vector<NamedPerson> named_people(const Patch<UserId>& annotator,
                                             const Patch<UserId>& reviewer) {
  return named_people(annotator.as_optional(), reviewer.as_optional());
}

}  // namespace annolog::api
