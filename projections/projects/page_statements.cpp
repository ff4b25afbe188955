#include "projections/projects/page_statements.hpp"

#include <array>
#include <string>

#include "projections/queries/name_pattern.hpp"

namespace annolog::projections {
namespace {

enum Flag : unsigned { kOfSome = 1, kOfMember = 2, kNamed = 4 };
constexpr unsigned kFlagSets = 8;

struct Texts {
  std::string name;
  std::string sql;
};

Texts make_texts(unsigned flags) {
  int next = 7;
  const auto parameter = [&next] { return "$" + std::to_string(next++); };
  std::string sql = "SELECT " PROJECT_COLUMNS
                    " FROM projects p WHERE p.id < $1::bigint"
                    " AND ($3::text[] IS NULL OR p.type_key = ANY($3::text[]))"
                    " AND ($4::text[] IS NULL OR p.status = ANY($4::text[]))"
                    " AND ($5::bigint IS NULL OR p.created_at_ms >= $5::bigint)"
                    " AND ($6::bigint IS NULL OR p.created_at_ms <= $6::bigint)";
  if ((flags & kOfSome) != 0) sql += " AND p.id = ANY(" + parameter() + "::bigint[])";
  if ((flags & kOfMember) != 0) {
    // The owner has no row in members. An array is found once, by the indexes of both tables; an OR
    // of two conditions would walk either.
    const std::string user = parameter() + "::bigint";
    sql += " AND p.id = ANY(ARRAY(SELECT m.project_id FROM members m WHERE m.user_id = " + user +
           " UNION ALL SELECT o.id FROM projects o WHERE o.owner_id = " + user + "))";
  }
  if ((flags & kNamed) != 0) sql += " AND p.name ILIKE " + parameter() + "::text";
  return {"projects_list_" + std::to_string(flags), sql + " ORDER BY p.id DESC LIMIT $2::bigint"};
}

struct Statements {
  std::array<Texts, kFlagSets> texts;
  std::vector<Statement> statements;

  Statements() {
    for (unsigned flags = 0; flags < kFlagSets; ++flags) texts.at(flags) = make_texts(flags);
    for (const Texts& t : texts) statements.push_back({t.name.c_str(), t.sql.c_str()});
  }
};

const Statements& all() {
  static const Statements table;
  return table;
}

template <class E>
void add_words(Params& params, const std::vector<E>& values) {
  if (values.empty()) {
    params.add_null();
  } else {
    add_column(params, PgType::text, values, [](E value) { return word_of(value); });
  }
}

}  // namespace

const Statement& project_page_statement(const SeenProjects& seen, const ProjectFilter& filter) {
  unsigned flags = 0;
  if (!seen.all) flags |= kOfSome;
  if (filter.member_id) flags |= kOfMember;
  if (!filter.name_part.empty()) flags |= kNamed;
  return all().statements.at(flags);
}

void add_filter_params(Params& params, const SeenProjects& seen, const ProjectFilter& filter) {
  add_words(params, filter.types);
  add_words(params, filter.statuses);
  params.add(filter.created_from ? std::optional(filter.created_from->ms) : std::nullopt);
  params.add(filter.created_to ? std::optional(filter.created_to->ms) : std::nullopt);
  if (!seen.all) add_ids(params, seen.ids);
  if (filter.member_id) params.add(filter.member_id->value);
  if (!filter.name_part.empty()) params.add(containing(filter.name_part));
}

std::vector<Statement> project_page_statements() { return all().statements; }

}  // namespace annolog::projections
