// A database of its own for one test, in the cluster of ANNOLOG_TEST_DATABASE_URL; dropped at the
// end. Tests skip when the variable is absent.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "platform/random.hpp"
#include "projections/pg/connection.hpp"

namespace annolog::projections::testing {

inline const char* cluster_url() { return std::getenv("ANNOLOG_TEST_DATABASE_URL"); }

#define ANNOLOG_NEEDS_POSTGRESQL()                                 \
  if (::annolog::projections::testing::cluster_url() == nullptr) { \
    GTEST_SKIP() << "ANNOLOG_TEST_DATABASE_URL is not set";        \
  }

inline std::unique_ptr<PgConnection> connect_to(const std::string& url,
                                                const std::string& search_path = "",
                                                std::int64_t statement_ms = 60'000) {
  return std::make_unique<PgConnection>(ConnectOptions{.database_url = url,
                                                       .application_name = "annolog-test",
                                                       .search_path = search_path,
                                                       .connect_ms = 20'000,
                                                       .statement_ms = statement_ms,
                                                       .read_only = false});
}

class Database {
 public:
  Database() : name_("annolog_test_" + platform::random_base62(12)) {
    for (char& c : name_) c = static_cast<char>(std::tolower(c));
    connect_to(cluster_url())->run("CREATE DATABASE " + name_);
  }
  ~Database() {
    try {
      connect_to(cluster_url())->run("DROP DATABASE " + name_ + " WITH (FORCE)");
    } catch (const std::exception&) {  // the cluster is thrown away anyway
    }
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Later settings win in a conninfo; a URI needs the cluster's form to be key=value.
  std::string url() const { return std::string(cluster_url()) + " dbname=" + name_; }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

// The first column of the first row, as text.
inline std::string ask(const std::string& url, const std::string& sql,
                       const std::string& search_path = "read_live") {
  const auto connection = connect_to(url, search_path);
  const std::string text = "SELECT (" + sql + ")::text";
  const Rows rows = connection->execute({"ask", text.c_str()});
  return rows.empty() ? "" : rows.row(0).text();
}

}  // namespace annolog::projections::testing
