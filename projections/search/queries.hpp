// Looks for a text in the names of what someone may see: projects, tasks, datasets, people. Any
// thread, blocking, errors as in queries/read_pool.hpp. docs/decisions/0018 says how tasks are
// looked for when there are millions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "domain/dataset/events.hpp"
#include "domain/project/events.hpp"
#include "domain/task/events.hpp"
#include "projections/queries/read_pool.hpp"
#include "projections/queries/seen_projects.hpp"

namespace annolog::projections {

struct SearchRequest {
  std::string text;        // at least one character, no blanks around it
  std::int64_t limit = 5;  // of each kind
  UserId viewer;
  SeenProjects seen;
};

struct FoundProject {
  ProjectId id;
  std::string name;
  ProjectType type_key = ProjectType::image_det;
  ProjectStatus status = ProjectStatus::in_progress;
};

struct FoundTask {
  TaskId id;
  ProjectId project_id;
  std::int64_t number = 0;
  std::string file_name;
  TaskStatus status = TaskStatus::pending;
};

struct FoundDataset {
  DatasetId id;
  std::string name;
  DataType data_type = DataType::image;
};

struct FoundPerson {
  UserId id;
  std::string name;
  std::string username;
  bool is_active = true;
};

// Each from the most like the text to the least.
struct Found {
  std::vector<FoundProject> projects;
  std::vector<FoundTask> tasks;
  std::vector<FoundDataset> datasets;
  std::vector<FoundPerson> people;
};

class SearchQueries {
 public:
  explicit SearchQueries(ReadPool& pool) : pool_(&pool) {}

  Found find(const SearchRequest& request) const;

 private:
  ReadPool* pool_;
};

}  // namespace annolog::projections
