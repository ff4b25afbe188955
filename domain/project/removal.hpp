// What a deleted project, or a deleted image of its guide, has left elsewhere: kept in the
// project's shard until the steps that clear it are done.
#pragma once

#include <string>
#include <vector>

#include <boost/describe/class.hpp>

#include "domain/events.hpp"
#include "domain/project/state.hpp"
#include "domain/support/result.hpp"

namespace annolog {

struct Removal {
  ProjectId project_id;
  GuideAssetId asset_id;  // 0: the project itself, with its name and links
  std::vector<std::string> object_keys;
  bool operator==(const Removal&) const = default;
};
BOOST_DESCRIBE_STRUCT(Removal, (), (project_id, asset_id, object_keys))

// What is left when this has happened to the project as `before`.
Removal removal_after(const ProjectState& before, const ProjectDeleted& event);
Removal removal_after(const ProjectState& before, const GuideAssetDeleted& event);

// By the process manager, once all is cleared.
struct FinishRemoval {
  ProjectId project_id;
  GuideAssetId asset_id;
};
BOOST_DESCRIBE_STRUCT(FinishRemoval, (), (project_id, asset_id))

Result<Events> decide(bool is_unfinished, const FinishRemoval& command);

}  // namespace annolog
