// Wishes about the images of a project's guide, and what may come of them.
#pragma once

#include <cstdint>
#include <string>

#include <boost/describe/class.hpp>

#include "domain/events.hpp"
#include "domain/project/state.hpp"
#include "domain/support/result.hpp"

namespace annolog {

struct StartGuideAsset {
  ProjectId project_id;
  std::string file_name;
  std::string content_type;
  std::int64_t size = 0;
};
BOOST_DESCRIBE_STRUCT(StartGuideAsset, (), (project_id, file_name, content_type, size))

// What the service found in the object store; nothing of it is the client's word.
struct CompleteGuideAsset {
  ProjectId project_id;
  GuideAssetId asset_id;
  std::int64_t stored_size = 0;
  std::string stored_md5;
  std::string stored_type;  // media type that the bytes themselves announce
};
BOOST_DESCRIBE_STRUCT(CompleteGuideAsset, (),
                      (project_id, asset_id, stored_size, stored_md5, stored_type))

struct DeleteGuideAsset {
  ProjectId project_id;
  GuideAssetId asset_id;
};
BOOST_DESCRIBE_STRUCT(DeleteGuideAsset, (), (project_id, asset_id))

Result<Events> decide(const ProjectState& state, const StartGuideAsset& command,
                      const Context& context, GuideAssetId next_id);
Result<Events> decide(const ProjectState& state, const CompleteGuideAsset& command,
                      const Context& context);
Result<Events> decide(const ProjectState& state, const DeleteGuideAsset& command,
                      const Context& context);

}  // namespace annolog
