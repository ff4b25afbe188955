// The statements of the search; for search/queries.cpp only. In pairs: over all there is, and over
// what some projects make visible. In those the LATERAL with its OFFSET 0 goes to the rows by their
// keys, whatever the planner thinks of the pattern.
#pragma once

#include "projections/pg/connection.hpp"

namespace annolog::projections {

// $1 pattern, $2 text, $3 limit, $4 the id that the text names, or 0; then $5 the projects.
#define SEARCH_BEST_NAMES                                                                        \
  " ORDER BY (f.id = $4::bigint) DESC, extensions.similarity(f.name, $2::text) DESC, f.id DESC " \
  "LIMIT $3::bigint"
#define SEARCH_PROJECT_COLUMNS "p.id, p.name, p.type_key, p.status"
#define SEARCH_DATASET_COLUMNS "d.id, d.name, d.data_type"
#define SEARCH_PERSON_COLUMNS "u.id, u.name, u.username, u.is_active"
#define SEARCH_MOST " LIMIT 1000"

inline constexpr Statement kSearchProjects{
    "search_projects",
    "SELECT * FROM (SELECT " SEARCH_PROJECT_COLUMNS
    " FROM projects p WHERE p.id = $4::bigint UNION ALL (SELECT " SEARCH_PROJECT_COLUMNS
    " FROM projects p WHERE p.name ILIKE $1::text AND p.id <> $4::bigint" SEARCH_MOST
    ")) f" SEARCH_BEST_NAMES};
inline constexpr Statement kSearchSomeProjects{
    "search_some_projects",
    "SELECT f.* FROM unnest($5::bigint[]) AS v(id) CROSS JOIN LATERAL "
    "(SELECT " SEARCH_PROJECT_COLUMNS
    " FROM projects p WHERE p.id = v.id OFFSET 0) f "
    "WHERE f.id = $4::bigint OR f.name ILIKE $1::text" SEARCH_BEST_NAMES};

inline constexpr Statement kSearchDatasets{
    "search_datasets",
    "SELECT * FROM (SELECT " SEARCH_DATASET_COLUMNS
    " FROM datasets d WHERE d.id = $4::bigint UNION ALL (SELECT " SEARCH_DATASET_COLUMNS
    " FROM datasets d WHERE d.name ILIKE $1::text AND d.id <> $4::bigint" SEARCH_MOST
    ")) f" SEARCH_BEST_NAMES};
// $6 whose datasets are seen beside those of the projects.
inline constexpr Statement kSearchSomeDatasets{
    "search_some_datasets",
    "SELECT f.* FROM (SELECT c.id FROM datasets c WHERE c.creator_id = $6::bigint UNION "
    "SELECT l.dataset_id FROM dataset_links l WHERE l.project_id = ANY($5::bigint[])) v "
    "CROSS JOIN LATERAL (SELECT " SEARCH_DATASET_COLUMNS
    " FROM datasets d WHERE d.id = v.id OFFSET 0) f "
    "WHERE f.id = $4::bigint OR f.name ILIKE $1::text" SEARCH_BEST_NAMES};

// An erased person has no name: nothing leads to them, their id neither.
#define SEARCH_BEST_PEOPLE                                                                 \
  " ORDER BY (f.id = $4::bigint) DESC, greatest(extensions.similarity(f.name, $2::text), " \
  "extensions.similarity(f.username, $2::text)) DESC, f.id DESC LIMIT $3::bigint"
inline constexpr Statement kSearchPeople{
    "search_people", "SELECT * FROM (SELECT " SEARCH_PERSON_COLUMNS
                     " FROM users u WHERE u.id = $4::bigint AND NOT u.is_erased UNION ALL "
                     "(SELECT " SEARCH_PERSON_COLUMNS
                     " FROM users u WHERE (u.name ILIKE $1::text OR u.username ILIKE $1::text) "
                     "AND u.id <> $4::bigint" SEARCH_MOST ")) f" SEARCH_BEST_PEOPLE};
inline constexpr Statement kSearchSomePeople{
    "search_some_people",
    "SELECT f.* FROM (SELECT m.user_id AS id FROM members m "
    "WHERE m.project_id = ANY($5::bigint[]) UNION "
    "SELECT p.owner_id FROM projects p WHERE p.id = ANY($5::bigint[])) v "
    "CROSS JOIN LATERAL (SELECT " SEARCH_PERSON_COLUMNS
    " FROM users u WHERE u.id = v.id AND NOT u.is_erased OFFSET 0) f "
    "WHERE f.id = $4::bigint OR f.name ILIKE $1::text OR f.username ILIKE "
    "$1::text" SEARCH_BEST_PEOPLE};

#define SEARCH_TASK_COLUMNS "t.id, t.project_id, t.number, t.file_name, t.status"

// T-<number>. $1 number, $2 limit; then $3 the projects.
inline constexpr Statement kSearchTaskNumbers{
    "search_task_numbers",
    "SELECT " SEARCH_TASK_COLUMNS
    " FROM task_names n JOIN tasks t ON t.id = n.task_id WHERE n.number = $1::bigint "
    "ORDER BY n.project_id DESC LIMIT $2::bigint"};
inline constexpr Statement kSearchSomeTaskNumbers{
    "search_some_task_numbers",
    "SELECT " SEARCH_TASK_COLUMNS
    " FROM task_names n JOIN tasks t ON t.id = n.task_id WHERE n.number = $1::bigint "
    "AND n.project_id = ANY($3::bigint[]) ORDER BY n.project_id DESC LIMIT $2::bigint"};

// Among the newest ($4 of them, or of each project). $1 pattern, $2 text, $3 limit; then $5 the
// projects. Each row says how many were looked at and how many of them matched.
#define SEARCH_NEAR(newest)                                                     \
  "WITH near AS MATERIALIZED (" newest                                          \
  "), hit AS MATERIALIZED (SELECT * FROM near WHERE file_name ILIKE $1::text) " \
  "SELECT id, project_id, number, file_name, status, "                          \
  "extensions.similarity(file_name, $2::text)::double precision AS likeness, "  \
  "(SELECT count(*) FROM near), (SELECT count(*) FROM hit) FROM hit "           \
  "ORDER BY likeness DESC, id DESC LIMIT $3::bigint"
inline constexpr Statement kSearchNewTasks{
    "search_new_tasks",
    SEARCH_NEAR("SELECT " SEARCH_TASK_COLUMNS " FROM tasks t ORDER BY t.id DESC LIMIT $4::bigint")};
inline constexpr Statement kSearchSomeNewTasks{
    "search_some_new_tasks",
    SEARCH_NEAR("SELECT t.* FROM unnest($5::bigint[]) AS v(id) CROSS JOIN LATERAL "
                "(SELECT " SEARCH_TASK_COLUMNS " FROM tasks t WHERE t.project_id = v.id "
                "ORDER BY t.id DESC LIMIT $4::bigint) t")};

// By the index of names: no more than a thousand candidates, the most alike of them. $1 pattern,
// $2 text, $3 limit; then $4 the projects.
#define SEARCH_BEST_TASKS(candidates)                                                \
  "SELECT " SEARCH_TASK_COLUMNS                                                      \
  ", best.likeness FROM (SELECT n.task_id, "                                         \
  "extensions.similarity(n.file_name, $2::text)::double precision AS likeness FROM " \
  "(" candidates SEARCH_MOST                                                         \
  ") n ORDER BY likeness DESC, n.task_id DESC LIMIT $3::bigint) best "               \
  "JOIN tasks t ON t.id = best.task_id ORDER BY best.likeness DESC, t.id DESC"
inline constexpr Statement kSearchTasks{
    "search_tasks", SEARCH_BEST_TASKS("SELECT n.task_id, n.file_name FROM task_names n "
                                      "WHERE n.file_name ILIKE $1::text")};
inline constexpr Statement kSearchSomeTasks{
    "search_some_tasks",
    SEARCH_BEST_TASKS("SELECT c.task_id, c.file_name FROM unnest($4::bigint[]) AS v(id) "
                      "CROSS JOIN LATERAL (SELECT n.task_id, n.file_name FROM task_names n "
                      "WHERE n.project_id = v.id AND n.file_name ILIKE $1::text" SEARCH_MOST
                      ") c")};
// For many projects the index is asked once, for the names alone: each time it is asked it looks
// through what is not sorted in yet.
inline constexpr Statement kSearchManyTasks{
    "search_many_tasks",
    SEARCH_BEST_TASKS("SELECT n.task_id, n.file_name FROM task_names n "
                      "WHERE n.file_name ILIKE $1::text AND n.project_id + 0 = ANY($4::bigint[])")};

}  // namespace annolog::projections
