#include "projections/engine/checkpoint_news.hpp"

#include <charconv>

namespace annolog::projections {
namespace {

constexpr std::size_t kLongest = 7900;

template <class T>
bool take_number(std::string_view& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::string to_text(const CheckpointNews& news) {
  const std::string generation = std::to_string(news.generation);
  std::string text = generation;
  for (const auto& [at, settled] : news.reached) {
    text += ' ' + std::to_string(at.shard.value) + ':' + std::to_string(at.offset.value);
    if (!settled) text += '~';
  }
  return text.size() <= kLongest ? text : generation;
}

std::optional<CheckpointNews> checkpoint_news_from(std::string_view text) {
  CheckpointNews news;
  if (!take_number(text, news.generation)) return std::nullopt;
  while (!text.empty()) {
    eventstore::Position at;
    if (!take(text, ' ') || !take_number(text, at.shard.value) || !take(text, ':') ||
        !take_number(text, at.offset.value))
      return std::nullopt;
    const bool unsettled = take(text, '~');
    news.reached.push_back({at, !unsettled});
  }
  return news;
}

}  // namespace annolog::projections
