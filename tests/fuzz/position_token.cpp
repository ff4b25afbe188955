// X-Event-Position as clients send it back.
#include "api/positions.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace annolog::fuzz {

void try_input(std::string_view input) {
  constexpr std::uint16_t kShards = 64;
  const auto positions = api::parse_position_token(input, kShards);
  if (!positions) return;
  require(!positions->empty(), "a token names a position");
  for (const auto& position : *positions) {
    require(position.shard.value < kShards, "a position's shard exists");
  }
  const std::string token = api::position_token(*positions);
  require(api::parse_position_token(token, kShards) == positions, "positions come back");
}

}  // namespace annolog::fuzz
