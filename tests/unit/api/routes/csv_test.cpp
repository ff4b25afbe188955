#include "api/csv.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace annolog::api::csv_test {
namespace {

std::string row(const std::vector<std::string>& fields) {
  std::string text;
  add_csv_row(text, fields);
  return text;
}

TEST(Csv, plain_fields_stand_as_they_are) {
  EXPECT_EQ(row({"1", "ada", "", "Ada Lovelace"}), "1,ada,,Ada Lovelace\r\n");
}

TEST(Csv, fields_with_its_own_signs_are_quoted) {
  EXPECT_EQ(row({"a,b", "say \"hi\"", "two\nlines"}),
            "\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\"\r\n");
}

TEST(Csv, what_a_spreadsheet_would_run_is_text) {
  for (const std::string formula : {"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"})
    EXPECT_EQ(row({formula}), "\"'" + formula + "\"\r\n");
  EXPECT_EQ(row({"=HYPERLINK(\"http://x\")"}), "\"'=HYPERLINK(\"\"http://x\"\")\"\r\n");
  EXPECT_EQ(row({"a=1", "1-1"}), "a=1,1-1\r\n");
}

}  // namespace
}  // namespace annolog::api::csv_test
