// Class rules: ids are birth order and never used again, names and aliases are unique without
// regard to case (decisions, sections 3 and 7b).
#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::classes_test {
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

TEST(Classes, of_what_goes_only_id_name_and_colour_are_kept) {
  const auto first = list_of({{"a", "#010203", {"one", "two"}}, {"b", "", {}}});
  const auto second = list_of({{"b", "", {}}}, first);
  ASSERT_EQ(second.removed.size(), 1U);
  EXPECT_EQ(second.removed[0], (ProjectClass{ClassId{1}, "a", "#010203", {}}));
  EXPECT_EQ(list_of({{"a", "", {}}}, second).live[0].color, "#010203");
}

TEST(Classes, a_list_and_what_is_remembered_have_an_end) {
  const auto words = [](const std::string& stem, int count) {
    Words all;
    for (int i = 0; i < count; ++i) all.push_back(stem + std::to_string(i));
    return all;
  };
  EXPECT_EQ(refusals({{"a", "", words("x", 101)}}), Words{"too_many_items"});
  std::vector<ClassSpec> specs;
  for (int i = 0; i < 101; ++i) {
    const std::string name = "c" + std::to_string(i);
    specs.push_back({name, "", words(name + "x", 100)});
  }
  EXPECT_EQ(refusals(specs), Words{"too_many_items"});
  ClassList list;
  for (int round = 0; round < 10; ++round) {
    specs.clear();
    for (const auto& name : words("r" + std::to_string(round) + "c", 1000)) {
      specs.push_back({name, "", {}});
    }
    list = list_of(specs, list);
  }
  EXPECT_EQ(list.removed.size(), 9000U);
  const auto refused = replace_classes(list, {{"one more", "", {}}}, {"c"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(types_of(refused.error().errors), Words{"too_many_items"});
  EXPECT_TRUE(replace_classes(list, {{"r0c0", "", {}}}, {"c"})) << "one that was";
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

// --- Without regard to case in every script, not only ASCII's.

constexpr const char* kUpper = "\u00C4PFEL";
constexpr const char* kTitle = "\u00C4pfel";
constexpr const char* kLower = "\u00E4pfel";

TEST(Classes, every_script_is_compared_without_case) {
  struct Row {
    const char* first;
    const char* second;
    Words types;
  };
  for (const auto& [first, second, types] :
       {Row{kTitle, kLower, {"duplicate"}}, Row{"STRASSE", "stra\u00DFe", {"duplicate"}},
        Row{"\u0410\u0412\u0422\u041E", "\u0430\u0432\u0442\u043E", {"duplicate"}},
        Row{"a\u0308pfel", kTitle, {"duplicate"}},  // composed or not
        Row{"pfirsich", "pf\u0131rsich", {}}, Row{"zoe", "zo\u00EB", {}}}) {
    EXPECT_EQ(refusals({{first, "", {}}, {second, "", {}}}), types) << first << second;
    EXPECT_EQ(refusals({{first, "", {}}, {"car", "", {second}}}), types) << "alias " << second;
    EXPECT_EQ(refusals({{"car", "", {first, second}}}), types) << "aliases " << second;
  }
}

TEST(Classes, a_renamed_class_takes_no_name_that_another_has_in_any_script) {
  const auto list = list_of({{kLower, "", {"\u00D6pfel"}}, {"X", "", {}}});
  for (const char* taken : {kUpper, "\u00F6PFEL"}) {
    const auto result = rename_class(list, "X", taken);
    ASSERT_FALSE(result) << taken;
    EXPECT_EQ(result.error().code, "CLASS_NAME_TAKEN");
  }
  const auto own = rename_class(list, kLower, kUpper);
  ASSERT_TRUE(own);
  EXPECT_EQ(own.value().live.at(0).name, kUpper);
}

TEST(Classes, a_name_that_comes_back_in_another_case_has_its_old_id) {
  const auto removed = list_of({{"car", "", {}}}, list_of({{kTitle, "#010203", {}}}));
  const auto back = list_of({{kLower, "", {}}, {"car", "", {}}}, removed);
  EXPECT_EQ(back.live.at(0).id, ClassId{1});
  EXPECT_EQ(back.live.at(0).name, kLower);
  EXPECT_EQ(back.live.at(0).color, "#010203");
  EXPECT_TRUE(back.removed.empty());
}

TEST(Classes, of_two_old_spellings_each_keeps_its_id_until_one_goes) {
  const ClassList old{{{ClassId{1}, kTitle, "#010203", {}}, {ClassId{2}, kLower, "#040506", {}}},
                      {}};
  for (const auto& [name, id] : {std::pair{kTitle, ClassId{1}}, std::pair{kLower, ClassId{2}}}) {
    const auto kept = list_of({{name, "", {}}}, old);
    EXPECT_EQ(kept.live.at(0).id, id) << name;
    EXPECT_EQ(kept.removed.size(), 1U);
  }
  EXPECT_TRUE(rename_class(old, kLower, "birne"));
}

TEST(Classes, a_removed_class_is_found_by_id_and_not_by_name) {
  const auto list = list_of({{"bus", "", {}}}, list_of({{"car", "", {}}}));
  EXPECT_EQ(list.find("car"), nullptr);
  ASSERT_NE(list.find(ClassId{1}), nullptr);
  EXPECT_EQ(list.find(ClassId{1})->name, "car");
}

}  // namespace
}  // namespace annolog::testing::classes_test
