#include "platform/exact_number.hpp"

#include <cmath>
#include <cstdint>

#include <nlohmann/json.hpp>

namespace annolog::platform {

bool is_exact_as_double(const nlohmann::json& number) {
  const double kept = number.get<double>();
  if (number.is_number_unsigned()) {
    constexpr double kTooLarge = 18446744073709551616.0;  // 2^64
    return kept < kTooLarge && static_cast<std::uint64_t>(kept) == number.get<std::uint64_t>();
  }
  constexpr double kLeast = 9007199254740992.0;  // 2^53; none below is changed
  return !number.is_number_integer() || std::abs(kept) < kLeast ||
         static_cast<std::int64_t>(kept) == number.get<std::int64_t>();
}

}  // namespace annolog::platform
