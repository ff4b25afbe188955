#include "projections/engine/checkpoint_news.hpp"

#include "domain/support/number.hpp"

namespace annolog::projections {
namespace {

constexpr std::size_t kLongest = 7900;

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
  const auto generation = take_number<std::int64_t>(text);
  if (!generation) return std::nullopt;
  CheckpointNews news;
  news.generation = *generation;
  while (!text.empty()) {
    const auto shard = take_number<std::uint16_t>(text, ' ');
    const auto offset = take_number<std::uint64_t>(text, ':');
    if (!shard || !offset) return std::nullopt;
    const bool unsettled = text.starts_with('~');
    if (unsettled) text.remove_prefix(1);
    news.reached.push_back(
        {{eventstore::ShardId{*shard}, eventstore::Offset{*offset}}, !unsettled});
  }
  return news;
}

}  // namespace annolog::projections
