#include "commands/state/near_rows.hpp"

#include <algorithm>

namespace annolog::commands {
namespace {

// So many rows between two that are wanted are passed by; behind more the next one is looked up.
constexpr int kPassedByMax = 8;

}  // namespace

void each_near_row(const eventstore::StateView& store, const Key& prefix,
                   std::span<const ItemId> ids,
                   const std::function<void(ItemId, std::string_view value)>& visit) {
  auto next = ids.begin();
  while (next != ids.end()) {
    const auto end = std::is_sorted_until(next, ids.end());
    int passed_by = 0;
    store.scan(prefix.bytes(), Key(prefix).id(*next).bytes(),
               [&](std::string_view key, std::string_view value) {
                 const ItemId id{last_number(key)};
                 while (next != end && *next < id) ++next;
                 for (; next != end && *next == id; ++next, passed_by = 0) visit(id, value);
                 return next != end && ++passed_by <= kPassedByMax;
               });
    if (passed_by <= kPassedByMax) next = end;  // no rows behind
  }
}

}  // namespace annolog::commands
