// How PostgreSQL would do a statement.
#pragma once

#include <string>

#include "projections/pg/connection.hpp"

namespace annolog::projections::testing {

inline int parameter_count(const std::string& sql) {
  int count = 0;
  for (int n = 1; n < 20; ++n) {
    if (sql.find("$" + std::to_string(n) + "::") != std::string::npos) count = n;
  }
  return count;
}

inline std::string text_of(const Rows& rows) {
  std::string text;
  for (int i = 0; i < rows.size(); ++i) text += rows.row(i).text() + "\n";
  return text;
}

// The plan for the values that it has.
inline std::string plan_for_values(PgConnection& connection, const std::string& sql,
                                   const Params& params = {}) {
  const std::string explain = "EXPLAIN " + sql;
  return text_of(connection.execute({"", explain.c_str(), false}, params));
}

// The plan for parameters that are not known: the one that must serve them all.
inline std::string generic_plan(PgConnection& connection, const Statement& statement,
                                const std::string& how = "EXPLAIN") {
  connection.run(std::string("PREPARE explained AS ") + statement.sql);
  std::string explain = how + " EXECUTE explained";
  const int count = parameter_count(statement.sql);
  for (int i = 0; i < count; ++i) explain += i == 0 ? "(NULL" : ", NULL";
  if (count > 0) explain += ")";
  const std::string name = std::string("explain_") + statement.name;
  std::string plan = text_of(connection.execute({name.c_str(), explain.c_str()}));
  connection.run("DEALLOCATE explained");
  return plan;
}

}  // namespace annolog::projections::testing
