#include "api/positions.hpp"

#include <charconv>

namespace annolog::api {
namespace {

constexpr std::string_view kPrefix = "p1";
constexpr std::size_t kMaxToken = 16 * 1024;  // of a thousand shards

template <class T>
bool take_number(std::string_view& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

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
    std::uint16_t shard = 0;
    std::uint64_t offset = 0;
    if (!take(token, '.') || !take_number(token, shard) || !take(token, '-') ||
        !take_number(token, offset) || shard >= shards) {
      return std::nullopt;
    }
    positions.push_back({commands::ShardId{shard}, commands::Offset{offset}});
  }
  if (positions.empty()) return std::nullopt;
  return positions;
}

}  // namespace annolog::api
