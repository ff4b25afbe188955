// Reads of what happened to a person's account. Any thread, blocking, errors as in
// queries/read_pool.hpp.
#pragma once

#include <cstdint>
#include <optional>

#include "domain/support/ids.hpp"
#include "domain/user/account_event.hpp"
#include "projections/queries/page.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::projections {

class AccountEventQueries {
 public:
  explicit AccountEventQueries(ReadPool& pool) : pool_(&pool) {}

  // Newest first; actors with their ids alone.
  Page<AccountEventView, TimeCursor> of(UserId person, std::optional<TimeCursor> after,
                                        std::int64_t limit) const;

 private:
  ReadPool* pool_;
};

}  // namespace annolog::projections
