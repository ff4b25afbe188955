// What becomes of the project itself in the model (spec, "Projects", "Datasets").
#include "tests/simulation/model.hpp"

namespace annolog::testing {

std::string Model::archive(const ModelUser& user, bool away) {
  const auto verdict = allows(user, 4);
  if (verdict == "ok") archived = away;
  return verdict;
}

// The tasks of a dataset leave, and what they had. A batch that loses its last one goes, too; one
// that keeps no open task is over, as after work.
std::string Model::unlink(const ModelUser& user, const std::vector<std::size_t>& leaving) {
  if (const auto why = allows(user, 3); why != "ok") return why;
  if (leaving.empty()) return "NOT_FOUND";  // linked no longer
  if (archived) return "PROJECT_ARCHIVED";
  std::set<std::size_t> poorer;
  for (const auto t : leaving) {
    poorer.insert(tasks[t].batch);
    tasks[t] = {};
    tasks[t].gone = true;
    std::erase_if(shapes, [&](const auto& shape) { return shape.second.task == t; });
  }
  poorer.erase(kNoBatch);
  for (const auto b : poorer) {
    ModelBatch& batch = batches[b];
    batch.gone = progress(b).empty();
    if (batch.gone) ++happened["gone with its tasks"];
    if (!batch.gone && went_to_review(b)) ++happened["ended by leaving"];
  }
  return "ok";
}

}  // namespace annolog::testing
