// A document that an import of annotations reads row by row: whatever the bytes, memory and stack
// stay bounded; where the whole is JSON and within the limits, its rows are what a parser finds.
#include <map>
#include <sstream>
#include <vector>

#include "tests/fuzz/fuzz.hpp"
#include "workers/import/json_rows.hpp"

namespace annolog::fuzz {
namespace {

struct Counted final : workers::RowSink {
  bool member(const std::string&, const nlohmann::json& value) override {
    require(!value.is_structured(), "a member is a scalar");
    return true;
  }
  bool row(const std::string& list, std::size_t index, nlohmann::json row) override {
    require(list == "annotations" || list == "images", "only rows that were asked for");
    if (index == 0) rows[list].clear();  // a list named twice: a parser keeps the last
    require(rows[list].size() == index, "rows are counted from 0");
    rows[list].push_back(std::move(row));
    return true;
  }
  std::map<std::string, std::vector<nlohmann::json>> rows;
};

}  // namespace

void try_input(std::string_view input) {
  std::istringstream bytes{std::string(input)};
  Counted counted;
  if (!workers::read_rows(bytes, {"annotations", "images"}, counted)) return;
  const auto whole = nlohmann::json::parse(input, nullptr, false);
  require(whole.is_object(), "what is read is a JSON object");
  for (const auto& [list, rows] : counted.rows) {
    const auto& found = whole.at(list);
    if (found.size() != rows.size()) {
      require(found.empty(), "every row is given");  // the later of two lists was empty
      continue;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) require(rows[i] == found[i], "a row is whole");
  }
}

}  // namespace annolog::fuzz
