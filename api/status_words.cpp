#include "api/status_words.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace annolog::api {
namespace {

struct StatusWord {
  std::string_view word;
  TaskStatus status;
};
constexpr std::array kStatusWords{
    StatusWord{"pending", TaskStatus::pending},
    StatusWord{"created", TaskStatus::pending},
    StatusWord{"assigned", TaskStatus::assigned},
    StatusWord{"in_progress", TaskStatus::in_progress},
    StatusWord{"submitted", TaskStatus::submitted},
    StatusWord{"review", TaskStatus::review},
    StatusWord{"rejected", TaskStatus::rejected},
    StatusWord{"returned", TaskStatus::rejected},
    StatusWord{"completed", TaskStatus::completed},
    StatusWord{"reviewed", TaskStatus::completed},
};

}  // namespace

std::vector<std::string> status_words() {
  std::vector<std::string> words;
  for (const auto& known : kStatusWords) words.emplace_back(known.word);
  return words;
}

std::vector<TaskStatus> statuses_of(const std::vector<std::string>& words) {
  std::vector<TaskStatus> statuses;
  for (const auto& word : words) {
    for (const auto& known : kStatusWords) {
      if (known.word == word) statuses.push_back(known.status);
    }
  }
  std::ranges::sort(statuses);
  statuses.erase(std::ranges::unique(statuses).begin(), statuses.end());
  return statuses;
}

}  // namespace annolog::api
