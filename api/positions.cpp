#include "api/positions.hpp"

#include "domain/support/number.hpp"
#include "projections/engine/event_id.hpp"

namespace annolog::api {
namespace {

constexpr std::string_view kPrefix = "p1";
constexpr std::size_t kMaxToken = 16 * 1024;  // of a thousand shards

}  // namespace

std::string position_token(const std::vector<commands::Position>& positions) {
  std::string token(kPrefix);
  for (const auto& p : positions) {
    token += "." + std::to_string(p.shard.value) + "-" + std::to_string(p.offset.value);
  }
  return token;
}

std::optional<std::vector<commands::Position>> parse_position_token(std::string_view token,
                                                                    std::uint16_t shards) {
  if (token.size() > kMaxToken || !token.starts_with(kPrefix)) return std::nullopt;
  token.remove_prefix(kPrefix.size());
  std::vector<commands::Position> positions;
  while (!token.empty()) {
    const auto shard = take_number<std::uint16_t>(token, '.');
    const auto offset = take_number<std::uint64_t>(token, '-');
    if (!shard || !offset || *shard >= shards || *offset > projections::kLargestOffset)
      return std::nullopt;
    positions.push_back({commands::ShardId{*shard}, commands::Offset{*offset}});
  }
  if (positions.empty()) return std::nullopt;
  return positions;
}

}  // namespace annolog::api
