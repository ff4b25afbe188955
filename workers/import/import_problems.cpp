#include "workers/import/import_problems.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace annolog::workers {

void ImportProblems::note(DocumentPlace place, std::string code, std::string message) {
  const std::lock_guard guard(mutex_);
  ++by_code_[code];
  if (++count_ > static_cast<std::int64_t>(kKept)) return;
  noted_.push_back({place, std::move(code), std::move(message)});
}

std::int64_t ImportProblems::count() const {
  const std::lock_guard guard(mutex_);
  return count_;
}

std::map<std::string, std::int64_t> ImportProblems::count_by_code() const {
  const std::lock_guard guard(mutex_);
  return by_code_;
}

std::vector<ImportProblem> ImportProblems::in_order(const PlaceName& name_of) const {
  const std::lock_guard guard(mutex_);
  auto sorted = noted_;
  std::ranges::sort(sorted, {}, [](const Noted& one) { return std::tie(one.place, one.code); });
  std::vector<ImportProblem> problems;
  problems.reserve(sorted.size());
  for (auto& one : sorted) {
    problems.push_back({name_of(one.place), std::move(one.code), std::move(one.message)});
  }
  return problems;
}

}  // namespace annolog::workers
