#include "projections/search/queries.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "domain/support/number.hpp"
#include "projections/pg/connection.hpp"
#include "projections/queries/catalogue.hpp"
#include "projections/queries/name_pattern.hpp"
#include "projections/search/statements.hpp"

namespace annolog::projections {
namespace {

// Tasks that are looked at without an index. Of 400 this was two thirds of PostgreSQL's work for a
// search.
constexpr std::int64_t kNewest = 128;
constexpr std::int64_t kLeastOfAProject = 4;
constexpr std::size_t kManyProjects = 16;
// One in so many of the newest: the index would give a good part of the table.
constexpr std::int64_t kCommon = 8;
// The index answers a rare text in a few milliseconds. What takes longer is in so many names that
// those of the newest tasks do.
constexpr const char* kBeginShort = "BEGIN; SET LOCAL statement_timeout = '500ms'";

struct TaskHit {
  FoundTask task;
  double likeness = 0;
};

struct NewTasks {
  std::vector<TaskHit> hits;  // the most alike
  bool common = false;        // there are many more
};

// The number of a display id (T-12): of that kind, else 0, which nothing has.
std::int64_t number_in(std::string_view text, char kind) {
  if (text.size() < 3 || text[1] != '-' || (text[0] != kind && text[0] != kind + ('a' - 'A')))
    return 0;
  const std::int64_t number = id_number(text.substr(2));
  return number <= kMaxId ? number : 0;
}

FoundProject read_project(RowReader& row) {
  FoundProject found;
  found.id = row.id<ProjectId>();
  found.name = row.text();
  found.type_key = row.word<ProjectType>();
  found.status = row.word<ProjectStatus>();
  return found;
}

FoundDataset read_dataset(RowReader& row) {
  FoundDataset found;
  found.id = row.id<DatasetId>();
  found.name = row.text();
  found.data_type = row.word<DataType>();
  return found;
}

FoundPerson read_person(RowReader& row) {
  FoundPerson found;
  found.id = row.id<UserId>();
  found.name = row.text();
  found.username = row.text();
  found.is_active = row.boolean();
  return found;
}

FoundTask read_task(RowReader& row) {
  FoundTask found;
  found.id = row.id<TaskId>();
  found.project_id = row.id<ProjectId>();
  found.number = row.integer();
  found.file_name = row.text();
  found.status = row.word<TaskStatus>();
  return found;
}

TaskHit read_hit(RowReader& row) {
  TaskHit hit{read_task(row), 0};
  hit.likeness = row.optional_number().value_or(0);
  return hit;
}

// One request on one connection.
class Search {
 public:
  Search(PgConnection& connection, const SearchRequest& request)
      : connection_(connection), request_(request) {}

  Found run();

 private:
  const Statement& pick(const Statement& all, const Statement& some) const {
    return request_.seen.all ? all : some;
  }

  void add_projects(Params& params) const {
    if (!request_.seen.all) add_ids(params, request_.seen.ids);
  }

  Params name_params(char kind) const {
    Params params;
    params.add(containing(request_.text)).add(request_.text).add(request_.limit);
    params.add(number_in(request_.text, kind));
    add_projects(params);
    return params;
  }

  template <class Read>
  auto rows(const Statement& statement, const Params& params, Read read) {
    std::vector<decltype(read(std::declval<RowReader&>()))> values;
    const Rows answer = connection_.execute(statement, params);
    for (int i = 0; i < answer.size(); ++i) {
      auto row = answer.row(i);
      values.push_back(read(row));
    }
    return values;
  }

  std::vector<FoundTask> numbered();
  NewTasks among_the_newest();
  std::vector<TaskHit> by_index();
  std::vector<FoundTask> tasks();

  PgConnection& connection_;
  const SearchRequest& request_;
};

std::vector<FoundTask> Search::numbered() {
  const std::int64_t number = number_in(request_.text, 'T');
  if (number == 0) return {};
  Params params;
  params.add(number).add(request_.limit);
  add_projects(params);
  return rows(pick(kSearchTaskNumbers, kSearchSomeTaskNumbers), params, read_task);
}

NewTasks Search::among_the_newest() {
  const auto projects = static_cast<std::int64_t>(request_.seen.ids.size());
  const std::int64_t each =
      request_.seen.all || projects == 0 ? kNewest : std::max(kNewest / projects, kLeastOfAProject);
  Params params;
  params.add(containing(request_.text)).add(request_.text).add(request_.limit).add(each);
  add_projects(params);
  NewTasks found;
  found.hits =
      rows(pick(kSearchNewTasks, kSearchSomeNewTasks), params, [&found, this](RowReader& row) {
        TaskHit hit = read_hit(row);
        const std::int64_t looked_at = row.integer();
        const std::int64_t matched = row.integer();
        found.common = matched >= request_.limit && matched * kCommon >= looked_at;
        return hit;
      });
  return found;
}

std::vector<TaskHit> Search::by_index() {
  const std::string& text = request_.text;
  const bool anywhere = has_trigrams(text);
  if (!anywhere && !has_trigrams_at_start(text)) return {};
  Params params;
  params.add(anywhere ? containing(text) : starting_with(text)).add(text).add(request_.limit);
  add_projects(params);
  const bool many = request_.seen.ids.size() > kManyProjects;
  connection_.run(kBeginShort);
  try {
    auto hits =
        rows(pick(kSearchTasks, many ? kSearchManyTasks : kSearchSomeTasks), params, read_hit);
    connection_.run("COMMIT");
    return hits;
  } catch (const PgUnavailable&) {
    if (connection_.broken()) throw;
    connection_.run("ROLLBACK");
    return {};
  }
}

std::vector<FoundTask> Search::tasks() {
  std::vector<FoundTask> found = numbered();
  NewTasks near = among_the_newest();
  std::vector<TaskHit> hits = std::move(near.hits);
  if (!near.common) {
    for (TaskHit& hit : by_index()) hits.push_back(std::move(hit));
  }
  std::ranges::sort(hits, [](const TaskHit& a, const TaskHit& b) {
    return a.likeness != b.likeness ? a.likeness > b.likeness : a.task.id > b.task.id;
  });
  std::unordered_set<TaskId> there;
  for (const FoundTask& task : found) there.insert(task.id);
  for (TaskHit& hit : hits) {
    if (found.size() >= static_cast<std::size_t>(request_.limit)) break;
    if (there.insert(hit.task.id).second) found.push_back(std::move(hit.task));
  }
  return found;
}

Found Search::run() {
  Found found;
  found.projects = rows(pick(kSearchProjects, kSearchSomeProjects), name_params('P'), read_project);
  Params of_datasets = name_params('D');
  if (!request_.seen.all) of_datasets.add(request_.viewer.value);
  found.datasets = rows(pick(kSearchDatasets, kSearchSomeDatasets), of_datasets, read_dataset);
  found.people = rows(pick(kSearchPeople, kSearchSomePeople), name_params('U'), read_person);
  found.tasks = tasks();
  return found;
}

}  // namespace

Found SearchQueries::find(const SearchRequest& request) const {
  Found found;
  pool_->with_connection(
      [&](PgConnection& connection) { found = Search(connection, request).run(); });
  return found;
}

std::vector<Statement> search_statements() {
  return {kSearchProjects,    kSearchSomeProjects,    kSearchDatasets, kSearchSomeDatasets,
          kSearchPeople,      kSearchSomePeople,      kSearchNewTasks, kSearchSomeNewTasks,
          kSearchTaskNumbers, kSearchSomeTaskNumbers, kSearchTasks,    kSearchSomeTasks,
          kSearchManyTasks};
}

}  // namespace annolog::projections
