// Pictures of captchas, by Cairo: a few characters that a person reads and a naive program doesn't.
// Any thread. A picture costs a few milliseconds; only the first one of the process reads a file,
// the font.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace annolog::platform {

// What an answer is made of: no two of these look alike, in either case, when they are turned and
// crossed by lines; nor does one look like a character that is left out, as 4 like A, 7 like T, or
// C like e would.
inline constexpr std::string_view kCaptchaAlphabet = "AEHKMNRTWXY39";

inline constexpr int kCaptchaWidth = 200;  // pixels
inline constexpr int kCaptchaHeight = 70;  // pixels
inline constexpr std::size_t kCaptchaMaxCharacters = 6;

// A PNG without transparency: `answer`, 1 to kCaptchaMaxCharacters characters of kCaptchaAlphabet,
// dark on a light ground. `seed` decides all else (places, turns, lines, dots, colours); the same
// arguments give the same bytes. Throws std::invalid_argument for another answer and
// std::runtime_error when Cairo fails or the font is missing.
std::string captcha_png(std::string_view answer, std::uint32_t seed);

}  // namespace annolog::platform
