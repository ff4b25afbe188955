#include "api/opened_origins.hpp"

#include "domain/codec/json/json_reader.hpp"

namespace annolog::api {

std::optional<OpenedOrigins::Opened> OpenedOrigins::opened(std::string_view origin,
                                                           std::uint64_t names) {
  if (origin == "{}") return Opened();
  Kept dropped;  // freed when nobody waits for it any more
  const std::lock_guard lock(mutex_);
  if (names_ != names) dropped.swap(opened_);
  names_ = names;
  const auto found = opened_.find(origin);
  return found == opened_.end() ? std::nullopt : std::optional(found->second);
}

OpenedOrigins::Opened OpenedOrigins::open(std::string_view origin, std::uint64_t names) {
  if (auto kept = opened(origin, names)) return std::move(*kept);
  auto plain = open_(codec::from_json_text<RequestOrigin>(origin));
  if (!plain) return nullptr;
  auto made = std::make_shared<const PlainOrigin>(std::move(*plain));
  Kept dropped;
  const std::lock_guard lock(mutex_);
  if (names_ != names) return made;
  if (opened_.size() >= kept_max_) dropped.swap(opened_);
  opened_.try_emplace(std::string(origin), made);
  return made;
}

}  // namespace annolog::api
