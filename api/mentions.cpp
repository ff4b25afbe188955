#include "api/mentions.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "api/visibility.hpp"
#include "domain/support/text.hpp"
#include "platform/name_text.hpp"

namespace annolog::api {
namespace {

using platform::begins_with_word_character;

// Within a word when a letter follows: "ada.b", "ada-b", "ada+b", "ada@b".
bool joins_words(char c) { return c == '.' || c == '-' || c == '+' || c == '@'; }

bool word_goes_on(std::string_view rest) {
  if (begins_with_word_character(rest)) return true;
  return !rest.empty() && joins_words(rest.front()) && begins_with_word_character(rest.substr(1));
}

bool within_word(std::string_view before) {
  if (before.empty()) return false;
  std::size_t last = before.size() - 1;
  while (last > 0 && (static_cast<unsigned char>(before[last]) & 0xC0U) == 0x80U) --last;
  return before[last] == '@' || begins_with_word_character(before.substr(last));
}

std::size_t common_length(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                                  a.begin());
}

class Names {
 public:
  explicit Names(const std::vector<UserBrief>& people) {
    for (const auto& person : people) {
      auto name = platform::case_folded(trimmed(person.username));
      if (!name.empty()) names_.emplace(std::move(name), person.id);
    }
  }

  // Who bears the longest name that `text` begins with and that ends there as a word does.
  std::optional<UserId> at_start_of(std::string_view text) const {
    // Of the names up to `head` in order, those that it begins with share what the last one shares.
    for (std::string_view head = text; !head.empty();) {
      const auto next = names_.upper_bound(head);
      if (next == names_.begin()) return std::nullopt;
      const auto& [name, user] = *std::prev(next);
      const auto shared = common_length(head, name);
      const bool whole = shared == name.size();
      if (whole && !word_goes_on(text.substr(shared))) return user;
      head = head.substr(0, whole ? shared - 1 : shared);
    }
    return std::nullopt;
  }

 private:
  std::map<std::string, UserId, std::less<>> names_;
};

}  // namespace

bool may_mention(std::string_view text) {
  return platform::case_folded(text).find('@') != std::string::npos;
}

std::vector<UserId> mentioned_in(std::string_view text, const std::vector<UserBrief>& people) {
  const std::string folded = platform::case_folded(text);
  const std::string_view all = folded;
  const Names names(people);
  std::vector<UserId> found;
  for (auto at = all.find('@'); at != std::string_view::npos; at = all.find('@', at + 1)) {
    if (within_word(all.substr(0, at))) continue;
    const auto user = names.at_start_of(all.substr(at + 1));
    if (user && std::find(found.begin(), found.end(), *user) == found.end()) found.push_back(*user);
  }
  return found;
}

awaitable<Result<std::vector<UserId>>> members_mentioned(Call& call, Services& services,
                                                         TaskId task, std::string_view text) {
  using Mentions = std::vector<UserId>;
  if (!may_mention(text)) co_return Mentions{};
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {commands::kDirectory}));
  auto seen = co_await visible_task(call, services, task);
  if (!seen) {
    if (seen.error().kind == DomainError::Kind::not_found) co_return Mentions{};
    co_return std::move(seen).error();
  }
  const ProjectId project = seen.value().project_id;
  co_return co_await read(services, [&services, project, text] {
    return mentioned_in(text, services.directory.people_of(project));
  });
}

}  // namespace annolog::api
