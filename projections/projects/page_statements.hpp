// The statements of the project list: one for each set of filters, so that each gets the index it
// needs. Made once; any thread.
#pragma once

#include <vector>

#include "projections/pg/connection.hpp"
#include "projections/projects/queries.hpp"

namespace annolog::projections {

// Of projects `p`, in the order that read_project() reads.
#define PROJECT_COLUMNS                                                                     \
  "p.id, p.name, p.description, p.type_key, p.status, p.attribute_schema, p.ai_enabled, "   \
  "p.review_required, p.annotation_guide, p.rendering_config, p.owner_id, p.member_count, " \
  "p.version, p.created_at_ms, p.updated_at_ms, "                                           \
  "coalesce((SELECT json_agg(json_build_object('id', c.class_id, 'name', c.name, "          \
  "'color', c.color, 'aliases', c.aliases::json) ORDER BY c.place) FROM project_classes c " \
  "WHERE c.project_id = p.id AND NOT c.removed)::text, '[]'), "                             \
  "coalesce((SELECT json_agg(json_build_object('id', g.id, 'file_name', g.file_name, "      \
  "'content_type', g.content_type, 'size', g.size, 'created_at_ms', g.created_at_ms) "      \
  "ORDER BY g.id) FROM guide_assets g "                                                     \
  "WHERE g.project_id = p.id AND g.status = 'ready')::text, '[]')"

const Statement& project_page_statement(const SeenProjects& seen, const ProjectFilter& filter);
// After the start of the page and its limit, the first two parameters.
void add_filter_params(Params& params, const SeenProjects& seen, const ProjectFilter& filter);

std::vector<Statement> project_page_statements();

}  // namespace annolog::projections
