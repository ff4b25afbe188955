#include "projections/work/projection.hpp"

namespace annolog::projections {
namespace {

constexpr Statement kAdd{"work_counts_add", R"sql(
INSERT INTO work_counts (user_id, day, project_id, action, times)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[])
ON CONFLICT (user_id, day, project_id, action)
  DO UPDATE SET times = work_counts.times + excluded.times
)sql"};

}  // namespace

void WorkRows::count(UserId user, ProjectId project, WorkAction action, const Happened& how) {
  ++times_[{user, day_of(how.at), project, action}];
}

void WorkRows::apply(const TaskSubmitted& event, const Happened& how) {
  count(event.user_id, event.project_id, WorkAction::submitted, how);
}

void WorkRows::apply(const TaskApproved& event, const Happened& how) {
  count(event.reviewer_id, event.project_id, WorkAction::approved, how);
}

void WorkRows::apply(const TaskRejected& event, const Happened& how) {
  count(event.reviewer_id, event.project_id, WorkAction::rejected, how);
}

void WorkRows::take(StatementQueue& out) {
  if (times_.empty()) return;
  Params p;
  const auto& rows = times_;
  add_column(p, PgType::int8, rows, [](const auto& r) { return std::get<0>(r.first).value; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return std::get<1>(r.first).number; });
  add_column(p, PgType::int8, rows, [](const auto& r) { return std::get<2>(r.first).value; });
  add_column(p, PgType::text, rows, [](const auto& r) { return word_of(std::get<3>(r.first)); });
  add_column(p, PgType::int8, rows, [](const auto& r) { return r.second; });
  out.add(kAdd, std::move(p));
}

}  // namespace annolog::projections
