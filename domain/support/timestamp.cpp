#include "domain/support/timestamp.hpp"

#include <algorithm>
#include <chrono>

namespace annolog {
namespace {

using std::chrono::sys_days;
using std::chrono::year_month_day;

// What four digits of a year can say in UTC. An offset or a leap second can lead past it, and such
// a time could be written but not read back.
constexpr Timestamp kFirst{-62'167'219'200'000};  // 0000-01-01T00:00:00.000Z
constexpr Timestamp kLast{253'402'300'799'999};   // 9999-12-31T23:59:59.999Z

// Reads exactly `digits` decimal digits and moves on; -1 when there are fewer.
int take_number(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return -1;
  int value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const char c = text[i];
    if (c < '0' || c > '9') return -1;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, char lower, char upper) {
  if (text.empty() || (text.front() != lower && text.front() != upper)) return false;
  text.remove_prefix(1);
  return true;
}

bool take(std::string_view& text, char c) { return take(text, c, c); }

// Fraction of a second as milliseconds; further digits are cut, not rounded.
int take_fraction(std::string_view& text) {
  int ms = 0;
  int digits = 0;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    if (digits < 3) ms = ms * 10 + (text.front() - '0');
    ++digits;
    text.remove_prefix(1);
  }
  if (digits == 0) return -1;
  for (; digits < 3; ++digits) ms *= 10;
  return ms;
}

// Minutes east of UTC, or nullopt.
std::optional<int> take_offset(std::string_view& text) {
  if (take(text, 'Z', 'z')) return 0;
  int sign = 0;
  if (take(text, '+')) sign = 1;
  else if (take(text, '-')) sign = -1;
  else return std::nullopt;
  const int hours = take_number(text, 2);
  if (!take(text, ':')) return std::nullopt;
  const int minutes = take_number(text, 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
  return sign * (hours * 60 + minutes);
}

// Pages of rows are written with it: a format string would take longer than all the rest of a row.
void put_number(std::string& out, std::size_t at, std::size_t digits, int value) {
  for (std::size_t i = at + digits; i-- > at; value /= 10) {
    out[i] = static_cast<char>('0' + value % 10);
  }
}

}  // namespace

std::string to_rfc3339(Timestamp at) {
  at = std::clamp(at, kFirst, kLast);
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds{at.ms}};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const year_month_day date{day};
  const auto of_day = std::chrono::duration_cast<std::chrono::milliseconds>(time - day).count();
  const auto minutes = of_day / 60'000;
  std::string out = "0000-00-00T00:00:00.000Z";
  put_number(out, 0, 4, static_cast<int>(date.year()));
  put_number(out, 5, 2, static_cast<int>(static_cast<unsigned>(date.month())));
  put_number(out, 8, 2, static_cast<int>(static_cast<unsigned>(date.day())));
  put_number(out, 11, 2, static_cast<int>(minutes / 60));
  put_number(out, 14, 2, static_cast<int>(minutes % 60));
  put_number(out, 17, 2, static_cast<int>(of_day / 1000 % 60));
  put_number(out, 20, 3, static_cast<int>(of_day % 1000));
  return out;
}

std::optional<Timestamp> from_rfc3339(std::string_view text) {
  const int year = take_number(text, 4);
  if (year < 0 || !take(text, '-')) return std::nullopt;
  const int month = take_number(text, 2);
  if (month < 0 || !take(text, '-')) return std::nullopt;
  const int day = take_number(text, 2);
  if (day < 0 || !(take(text, 'T', 't') || take(text, ' '))) return std::nullopt;
  const year_month_day date{std::chrono::year{year},
                            std::chrono::month{static_cast<unsigned>(month)},
                            std::chrono::day{static_cast<unsigned>(day)}};
  if (!date.ok()) return std::nullopt;
  const int hour = take_number(text, 2);
  if (hour < 0 || hour > 23 || !take(text, ':')) return std::nullopt;
  const int minute = take_number(text, 2);
  if (minute < 0 || minute > 59 || !take(text, ':')) return std::nullopt;
  const int second = take_number(text, 2);
  if (second < 0 || second > 60) return std::nullopt;
  int ms = 0;
  if (take(text, '.')) {
    ms = take_fraction(text);
    if (ms < 0) return std::nullopt;
  }
  const auto offset = take_offset(text);
  if (!offset || !text.empty()) return std::nullopt;
  const std::int64_t days = sys_days{date}.time_since_epoch().count();
  const Timestamp at{((days * 24 + hour) * 60 + minute - *offset) * 60'000 +
                     static_cast<std::int64_t>(second) * 1000 + ms};
  if (at < kFirst || at > kLast) return std::nullopt;
  return at;
}

}  // namespace annolog
