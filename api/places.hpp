// Places for work that takes long: so many in all, and of those so many for each (user, item), so
// that nobody takes them all. Who finds none free is told so at once; nothing waits. Any thread; a
// place may be let go on another thread, and after this is gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "domain/support/result.hpp"
#include "platform/metrics.hpp"

namespace annolog::api {

class Places {
 public:
  // Free again when the last copy is gone.
  using Place = std::shared_ptr<const void>;
  struct Limits {
    std::size_t all = 1;
    std::size_t each = 1;
  };

  // `each_full` is the refusal for who has `each` already; `taken` shows how many are taken.
  Places(Limits limits, DomainError each_full, std::optional<platform::Gauge> taken = {});

  // Else `each_full`, or OVERLOADED when all are taken.
  Result<Place> take(std::int64_t whose);

 private:
  struct State;

  Limits limits_;
  DomainError each_full_;
  std::shared_ptr<State> state_;
};

}  // namespace annolog::api
