// Class rules: ids are birth order and never used again, names and aliases are unique without
// regard to case (decisions, sections 3 and 7b).
#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing {
namespace {

ClassList list_of(const std::vector<ClassSpec>& specs, const ClassList& current = {}) {
  auto result = replace_classes(current, specs, {"classes_config"});
  EXPECT_TRUE(result) << result.error().message;
  return result ? result.value() : ClassList{};
}

std::vector<std::string> refusals(const std::vector<ClassSpec>& specs) {
  const auto result = replace_classes({}, specs, {"classes_config"});
  return result ? std::vector<std::string>{} : types_of(result.error().errors);
}

using Words = std::vector<std::string>;

TEST(Classes, rules_of_a_list) {
  const std::string hundred(100, 'x');
  struct Row {
    std::vector<ClassSpec> specs;
    Words types;
  };
  const Row rows[] = {
      {{}, {}},
      {{{"car", "", {}}}, {}},
      {{{hundred, "#a0B1c2", {}}}, {}},
      {{{hundred + "x", "", {}}}, {"length"}},
      {{{"  ", "", {}}}, {"length"}},
      {{{"", "", {}}}, {"length"}},
      {{{"car", "", {}}, {"CAR", "", {}}}, {"duplicate"}},
      {{{"car", "", {}}, {" car ", "", {}}}, {"duplicate"}},
      {{{"car", "", {"auto"}}, {"bus", "", {"Auto"}}}, {"duplicate"}},
      {{{"car", "", {"bus"}}, {"bus", "", {}}}, {"duplicate"}},
      {{{"car", "", {"a", "A"}}}, {"duplicate"}},
      {{{"car", "", {""}}}, {"length"}},
      {{{"car", "red", {}}}, {"pattern"}},
      {{{"car", "#12345", {}}}, {"pattern"}},
      {{{"car", "#12345G", {}}}, {"pattern"}},
      {{{"", "red", {""}}, {"car", "", {}}, {"car", "", {}}},
       {"length", "pattern", "length", "duplicate"}},
  };
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    EXPECT_EQ(refusals(rows[i].specs), rows[i].types) << "row " << i;
  }
}

TEST(Classes, at_most_a_thousand) {
  std::vector<ClassSpec> specs;
  for (int i = 0; i < 1000; ++i) specs.push_back({"c" + std::to_string(i), "", {}});
  EXPECT_EQ(refusals(specs), Words{});
  specs.push_back({"one more", "", {}});
  EXPECT_EQ(refusals(specs), Words{"too_many_items"});
}

TEST(Classes, a_bad_entry_is_named_by_its_place) {
  const auto result = replace_classes({}, {{"car", "", {}}, {"bus", "", {"ok", ""}}}, {"c"});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().errors.at(0).loc,
            (Location{"c", std::int64_t{1}, "aliases", std::int64_t{1}}));
}

TEST(Classes, ids_are_birth_order_and_survive_reorder_and_removal) {
  const auto first = list_of({{"a", "", {}}, {"b", "", {}}, {"c", "", {}}});
  const auto second = list_of({{"c", "", {}}, {"d", "", {}}, {"A", "", {}}}, first);
  ASSERT_EQ(second.live.size(), 3U);
  EXPECT_EQ(second.live[0].id, ClassId{3});
  EXPECT_EQ(second.live[1].id, ClassId{4});
  EXPECT_EQ(second.live[2].id, ClassId{1});
  EXPECT_EQ(second.live[2].name, "A");
  ASSERT_EQ(second.removed.size(), 1U);
  EXPECT_EQ(second.removed[0].id, ClassId{2});
  const auto third = list_of({{"e", "", {}}, {"B", "", {}}}, second);
  EXPECT_EQ(third.live[0].id, ClassId{5});
  EXPECT_EQ(third.live[1].id, ClassId{2}) << "a name that comes back has its old id";
  EXPECT_EQ(third.removed.size(), 3U);
}

TEST(Classes, an_absent_colour_comes_from_the_palette_and_then_stays) {
  const auto first = list_of({{"a", "", {}}, {"b", "#010203", {}}});
  EXPECT_EQ(first.live[0].color.size(), 7U);
  EXPECT_EQ(first.live[1].color, "#010203");
  const auto second = list_of({{"b", "", {}}, {"a", "", {}}}, first);
  EXPECT_EQ(second.live[0].color, "#010203");
  EXPECT_EQ(second.live[1].color, first.live[0].color);
}

TEST(Classes, rename) {
  const auto list = list_of({{"car", "", {"auto"}}, {"bus", "", {}}});
  const auto code = [&](const char* from, const std::string& to) -> std::string {
    const auto result = rename_class(list, from, to);
    return result ? result.value().live.at(0).name : result.error().code;
  };
  EXPECT_EQ(code("car", " van "), "van");
  EXPECT_EQ(code("car", "CAR"), "CAR");
  EXPECT_EQ(code("car", "Bus"), "CLASS_NAME_TAKEN");
  EXPECT_EQ(code("bus", "AUTO"), "CLASS_NAME_TAKEN");
  EXPECT_EQ(code("tram", "van"), "VALIDATION_ERROR");
  EXPECT_EQ(code("car", ""), "VALIDATION_ERROR");
  EXPECT_EQ(code("car", std::string(101, 'x')), "VALIDATION_ERROR");
}

TEST(Classes, a_removed_class_is_found_by_id_and_not_by_name) {
  const auto list = list_of({{"bus", "", {}}}, list_of({{"car", "", {}}}));
  EXPECT_EQ(list.find("car"), nullptr);
  ASSERT_NE(list.find(ClassId{1}), nullptr);
  EXPECT_EQ(list.find(ClassId{1})->name, "car");
}

}  // namespace
}  // namespace annolog::testing
