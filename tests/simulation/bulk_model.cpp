// Calls about many batches in the model (spec, "Batches"; decisions, section 4).
#include "tests/simulation/model.hpp"

namespace annolog::testing {
namespace {

// What needs no decision: named before in the call, or gone. True: to be decided.
bool to_decide(const std::vector<ModelBatch>& batches, std::size_t number,
               std::set<std::size_t>& seen, ModelBulk& outcome) {
  if (batches[number].gone) {
    outcome.failed.emplace_back(number, "NOT_FOUND");
    return false;
  }
  if (seen.insert(number).second) return true;
  outcome.skipped.push_back(number);
  return false;
}

}  // namespace

std::string Model::change_many(const ModelUser& user, const std::string& action,
                               const std::vector<std::size_t>& named, ModelBulk& outcome) {
  if (const auto why = admits(user, 4); why != "ok") return why;
  std::set<std::size_t> seen;
  std::vector<std::size_t> doomed;
  for (const auto number : named) {
    if (!to_decide(batches, number, seen, outcome)) continue;
    std::string verdict = "ok";
    if (action == "remove") {
      doomed.push_back(number);
    } else {
      const std::string to = action == "archive" ? "archived" : "active";
      if (batches[number].status == to) {
        outcome.skipped.push_back(number);
        continue;
      }
      // Bulk calls have no reason: what is archived comes back one by one.
      const bool back = to == "active" && batches[number].status == "archived";
      verdict = back ? "INVALID_TRANSITION" : move(user, number, {to, {}, {}});
    }
    if (verdict == "ok") {
      outcome.succeeded.push_back(number);
    } else {
      outcome.failed.emplace_back(number, verdict);
    }
  }
  for (const auto number : doomed) remove(user, number);
  return "ok";
}

std::string Model::reassign_many(const ModelUser& user, const std::vector<std::size_t>& named,
                                 const ModelPeople& people, ModelBulk& outcome) {
  if (const auto why = admits(user, 4); why != "ok") return why;
  if (!people.annotator && !people.reviewer) return "VALIDATION_ERROR";
  if (fits(people) != "ok") return fits(people);
  std::set<std::size_t> seen;
  for (const auto number : named) {
    if (!to_decide(batches, number, seen, outcome)) continue;
    if (batches[number].status == "archived") {
      outcome.failed.emplace_back(number, "BATCH_ARCHIVED");
    } else {
      outcome.succeeded.push_back(number);
    }
  }
  if (!outcome.failed.empty()) {  // all or nothing
    for (const auto number : outcome.succeeded)
      outcome.failed.emplace_back(number, "OTHERS_FAILED");
    outcome.succeeded.clear();
  }
  for (const auto number : outcome.succeeded) set_people(number, people);
  return "ok";
}

std::string Model::distribute(const ModelUser& user, const std::vector<std::int64_t>& annotators,
                              const std::vector<std::int64_t>& reviewers, bool all,
                              std::vector<std::size_t>& dealt) {
  if (const auto why = admits(user, 4); why != "ok") return why;
  if (annotators.empty() && reviewers.empty()) return "VALIDATION_ERROR";
  for (const auto one : annotators) {
    if (fits({one, {}}) != "ok") return "VALIDATION_ERROR";
  }
  for (const auto one : reviewers) {
    if (fits({{}, one}) != "ok") return "VALIDATION_ERROR";
  }
  std::size_t annotator = 0, reviewer = 0;
  for (std::size_t number = 0; number < batches.size(); ++number) {
    const auto& batch = batches[number];
    if (batch.gone || batch.status == "archived" || batch.status == "approved") continue;
    ModelPeople people;
    if (!annotators.empty() && (all || batch.annotator == 0)) {
      people.annotator = annotators[annotator++ % annotators.size()];
    }
    if (!reviewers.empty() && (all || batch.reviewer == 0)) {
      people.reviewer = reviewers[reviewer++ % reviewers.size()];
    }
    if (!people.annotator && !people.reviewer) continue;
    dealt.push_back(number);
    set_people(number, people);
  }
  return "ok";
}

}  // namespace annolog::testing
