#include "api/opened_origins.hpp"

namespace annolog::api {

std::optional<PlainOrigin> OpenedOrigins::open(const RequestOrigin& origin, std::uint64_t names) {
  if (!origin.sealed) return std::nullopt;
  {
    const std::lock_guard lock(mutex_);
    if (names_ != names) opened_.clear();
    names_ = names;
    if (const auto found = opened_.find(origin.sealed->base64); found != opened_.end())
      return found->second;
  }
  auto opened = open_(origin);
  if (!opened) return opened;
  const std::lock_guard lock(mutex_);
  if (names_ != names) return opened;
  if (opened_.size() >= kept_max_) opened_.clear();
  opened_.try_emplace(origin.sealed->base64, *opened);
  return opened;
}

}  // namespace annolog::api
