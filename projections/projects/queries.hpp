// Reads of projects and members. Any thread, blocking, errors as in queries/read_pool.hpp.
// owner_name and MemberView::user are left empty: the caller fills them from its directory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/project/view.hpp"
#include "projections/queries/page.hpp"
#include "projections/queries/read_pool.hpp"
#include "projections/queries/seen_projects.hpp"

namespace annolog::projections {

struct ProjectFilter {
  std::vector<ProjectType> types = {};  // empty: all
  std::optional<UserId> member_id = {};
  std::vector<ProjectStatus> statuses = {};    // empty: all
  std::optional<Timestamp> created_from = {};  // inclusive
  std::optional<Timestamp> created_to = {};    // inclusive
  std::string name_part = {};                  // in any case; empty: any name
};

class ProjectQueries {
 public:
  explicit ProjectQueries(ReadPool& pool) : pool_(&pool) {}

  std::optional<ProjectView> find(ProjectId id) const;
  // Newest first (id descending). `after`: Page::next of the page before.
  Page<ProjectView, ProjectId> list(const SeenProjects& seen, const ProjectFilter& filter,
                                    std::optional<ProjectId> after, std::int64_t limit) const;
  // In order of user id.
  Page<MemberView, UserId> members(ProjectId id, UserId after, std::int64_t limit) const;
  // The whole class list, removed ones included.
  std::optional<ClassList> classes(ProjectId id) const;
  // Pending ones too.
  std::optional<GuideAsset> guide_asset(ProjectId id, GuideAssetId asset) const;

 private:
  ReadPool* pool_;
};

}  // namespace annolog::projections
