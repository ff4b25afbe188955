// Attribute schema rules (spec, "Attribute schema fields"; decisions, section 3).
#include "domain/project/attribute_check.hpp"
#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::attribute_schema_test {
namespace {

using Words = std::vector<std::string>;

AttributeSpec spec_of(const std::string& key, InputType type, bool required = false) {
  AttributeSpec spec;
  spec.key = key;
  spec.input_type = type;
  spec.required = required;
  if (type == InputType::select || type == InputType::multiselect) {
    spec.options = {{"red", "Red"}, {"blue", "Blue"}};
  }
  return spec;
}

AttributeSpec shown_by(const std::string& key, const std::string& by, AttributeValue equals) {
  auto spec = spec_of(key, InputType::text, true);
  spec.visible_if = VisibleIf{by, std::move(equals)};
  return spec;
}

AttributeSpec bounded(InputType type, std::optional<double> min, std::optional<double> max,
                      std::optional<double> step = std::nullopt) {
  auto spec = spec_of("a", type);
  spec.min = min;
  spec.max = max;
  spec.step = step;
  return spec;
}

Words schema_errors(std::vector<AttributeSpec> specs) {
  std::vector<FieldError> errors;
  check_schema({std::move(specs)}, {"attribute_schema"}, errors);
  return types_of(errors);
}

std::vector<FieldError> value_errors(const AttributeSchema& schema, const Attributes& values,
                                     const std::string& class_name = "car") {
  std::vector<FieldError> errors;
  AttributeCheck(schema).check(class_name, values, {"attributes"}, errors);
  return errors;
}

TEST(AttributeSchema, rules_of_a_schema) {
  auto no_options = spec_of("a", InputType::select);
  no_options.options.clear();
  auto needless = spec_of("a", InputType::text);
  needless.options = {{"x", "X"}};
  auto twice = spec_of("a", InputType::select);
  twice.options.push_back({"red", "Again"});
  auto dependent = spec_of("b", InputType::text);
  dependent.visible_if = VisibleIf{"a", true};
  struct Row {
    std::vector<AttributeSpec> specs;
    Words types;
  };
  const Row rows[] = {
      {{}, {}},
      {{spec_of("a", InputType::text), spec_of("b", InputType::multiselect)}, {}},
      {{spec_of("", InputType::text)}, {"length"}},
      {{spec_of(std::string(101, 'k'), InputType::text)}, {"length"}},
      {{spec_of("a", InputType::text), spec_of("a", InputType::number)}, {"duplicate"}},
      {{no_options}, {"options"}},
      {{needless}, {"options"}},
      {{twice}, {"duplicate"}},
      {{bounded(InputType::number, 2, 1)}, {"out_of_range"}},
      {{bounded(InputType::number, 1, 1)}, {}},
      {{bounded(InputType::range, 0, 1, 0)}, {"out_of_range"}},
      {{spec_of("a", InputType::boolean), dependent}, {}},
      {{dependent, spec_of("a", InputType::boolean)}, {}},
      {{dependent}, {"unknown_attribute"}},
      {{shown_by("a", "a", true)}, {"circular"}},
      {{shown_by("a", "c", true), shown_by("b", "a", true), shown_by("c", "b", true)},
       {"circular", "circular", "circular"}},
      {{shown_by("a", "b", true), shown_by("b", "b", true)}, {"attribute_value", "circular"}},
  };
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    EXPECT_EQ(schema_errors(rows[i].specs), rows[i].types) << "row " << i;
  }
  std::vector<AttributeSpec> many;
  for (int i = 0; i < 201; ++i) many.push_back(spec_of("k" + std::to_string(i), InputType::text));
  EXPECT_EQ(schema_errors(many), Words{"too_many_items"});
  auto choices = spec_of("a", InputType::select);
  for (int i = 0; i < 999; ++i) choices.options.push_back({"o" + std::to_string(i), ""});
  EXPECT_EQ(schema_errors({choices}), Words{"too_many_items"});
  auto of_many = spec_of("a", InputType::text);
  of_many.applies_to.classes = Words(1001, "car");
  EXPECT_EQ(schema_errors({of_many}), Words{"too_many_items"});
}

TEST(AttributeSchema, its_texts_are_bounded_in_all) {
  auto wordy = spec_of("a", InputType::select);
  wordy.options.clear();
  for (int i = 0; i < 512; ++i) wordy.options.push_back({std::to_string(i), std::string(500, 'x')});
  EXPECT_EQ(schema_errors({wordy}), Words{});
  wordy.label = std::string(8'000, 'x');
  EXPECT_EQ(schema_errors({wordy}), (Words{"length"}));
}

TEST(AttributeSchema, values_by_input_type) {
  using List = std::vector<std::string>;
  const double inf = std::numeric_limits<double>::infinity();
  struct Row {
    AttributeSpec spec;
    AttributeValue value;
    bool good;
  };
  const Row rows[] = {
      {spec_of("a", InputType::text), std::string("x"), true},
      {spec_of("a", InputType::text), 1.0, false},
      {bounded(InputType::text, 2, 3), std::string("\xC3\xA4"), false},
      {bounded(InputType::text, 2, 3), std::string("\xC3\xA4\xC3\xA4"), true},
      {bounded(InputType::text, 2, 3), std::string("abcd"), false},
      {spec_of("a", InputType::text), std::string(10'001, 'x'), false},
      {spec_of("a", InputType::number), 1.5, true},
      {spec_of("a", InputType::number), std::string("1"), false},
      {spec_of("a", InputType::number), inf, false},
      {bounded(InputType::number, 0, 10), -0.1, false},
      {bounded(InputType::number, 0, 10), 10.0, true},
      {bounded(InputType::number, 0, 10), 10.1, false},
      {bounded(InputType::range, 0, 1, 0.1), 0.3, true},
      {bounded(InputType::range, 0, 1, 0.1), 0.35, false},
      {bounded(InputType::number, std::nullopt, std::nullopt, 0.001), 1'700'000'000.123, true},
      {bounded(InputType::number, std::nullopt, std::nullopt, 0.001), 1'700'000'000.1235, false},
      {bounded(InputType::range, 1, 9, 2), 4.0, false},
      {bounded(InputType::range, 1, 9, 2), 5.0, true},
      {spec_of("a", InputType::boolean), true, true},
      {spec_of("a", InputType::boolean), std::string("true"), false},
      {spec_of("a", InputType::select), std::string("red"), true},
      {spec_of("a", InputType::select), std::string("Red"), false},
      {spec_of("a", InputType::select), List{"red"}, false},
      {spec_of("a", InputType::multiselect), List{"red", "blue"}, true},
      {spec_of("a", InputType::multiselect), List{"red", "red"}, false},
      {spec_of("a", InputType::multiselect), List{"green"}, false},
      {spec_of("a", InputType::multiselect), std::string("red"), false},
      {spec_of("a", InputType::number), nullptr, true},
      {spec_of("a", InputType::multiselect), List{}, true},
      {spec_of("a", InputType::select), List{}, false},
      {spec_of("a", InputType::boolean), List{}, false},
      {spec_of("a", InputType::number), List{}, false},
      {spec_of("a", InputType::range), List{}, false},
      {spec_of("a", InputType::text), List{}, false},
  };
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    const auto errors = value_errors({{rows[i].spec}}, {{"a", rows[i].value}});
    EXPECT_EQ(errors.empty(), rows[i].good) << "row " << i;
    if (!rows[i].good) {
      EXPECT_EQ(errors.at(0).loc, (Location{"attributes", "a"})) << "row " << i;
    }
  }
}

TEST(AttributeSchema, a_required_attribute_must_have_a_value) {
  const AttributeSchema schema{{spec_of("a", InputType::text, true)}};
  EXPECT_EQ(types_of(value_errors(schema, {})), Words{"missing"});
  EXPECT_EQ(types_of(value_errors(schema, {{"a", nullptr}})), Words{"missing"});
  EXPECT_EQ(types_of(value_errors(schema, {{"a", std::string()}})), Words{"missing"});
  EXPECT_EQ(types_of(value_errors(schema, {{"a", std::string("x")}})), Words{});
  const AttributeSchema list{{spec_of("a", InputType::multiselect, true)}};
  EXPECT_EQ(types_of(value_errors(list, {{"a", std::vector<std::string>{}}})), Words{"missing"});
}

TEST(AttributeSchema, a_hidden_attribute_is_not_required) {
  auto plate = spec_of("plate", InputType::text, true);
  plate.visible_if = VisibleIf{"parked", true};
  const AttributeSchema schema{{spec_of("parked", InputType::boolean), plate}};
  EXPECT_EQ(types_of(value_errors(schema, {})), Words{});
  EXPECT_EQ(types_of(value_errors(schema, {{"parked", false}})), Words{});
  EXPECT_EQ(types_of(value_errors(schema, {{"parked", true}})), Words{"missing"});
}

TEST(AttributeSchema, what_a_hidden_attribute_says_shows_nothing) {
  const AttributeSchema schema{{spec_of("parked", InputType::boolean),
                                [] {
                                  auto place = spec_of("place", InputType::select);
                                  place.visible_if = VisibleIf{"parked", true};
                                  return place;
                                }(),
                                shown_by("plate", "place", std::string("red"))}};
  const AttributeValue red = std::string("red");
  EXPECT_EQ(types_of(value_errors(schema, {{"parked", true}, {"place", red}})), Words{"missing"});
  EXPECT_EQ(types_of(value_errors(schema, {{"parked", false}, {"place", red}})), Words{});
  EXPECT_EQ(types_of(value_errors(schema, {{"place", red}})), Words{});
}

TEST(AttributeSchema, an_attribute_of_other_classes_shows_nothing) {
  auto parked = spec_of("parked", InputType::boolean);
  parked.applies_to.classes = {"bus"};
  const AttributeSchema schema{{parked, shown_by("plate", "parked", nullptr)}};
  EXPECT_EQ(types_of(value_errors(schema, {}, "car")), Words{});
  EXPECT_EQ(types_of(value_errors(schema, {}, "bus")), Words{"missing"});
}

TEST(AttributeSchema, an_attribute_may_stand_before_what_shows_it) {
  constexpr int kAll = 200;
  AttributeSchema schema;
  Attributes values{{"k0", true}};
  for (int i = kAll - 1; i > 0; --i) {
    auto spec = shown_by("k" + std::to_string(i), "k" + std::to_string(i - 1), true);
    spec.input_type = InputType::boolean;
    schema.attributes.push_back(spec);
    if (i < kAll - 1) values.emplace(spec.key, true);
  }
  schema.attributes.push_back(spec_of("k0", InputType::boolean));
  EXPECT_EQ(schema_errors(schema.attributes), Words{});
  const auto errors = value_errors(schema, values);
  ASSERT_EQ(types_of(errors), Words{"missing"});
  EXPECT_EQ(errors[0].loc, (Location{"attributes", "k199"}));
  values["k0"] = false;
  EXPECT_EQ(types_of(value_errors(schema, values)), Words{});
}

TEST(AttributeSchema, a_list_longer_than_the_options_is_refused_and_shows_nothing) {
  const AttributeSchema schema{
      {spec_of("a", InputType::multiselect), shown_by("b", "a", std::string("red"))}};
  const std::vector<std::string> long_list(100'000, "red");
  EXPECT_EQ(types_of(value_errors(schema, {{"a", long_list}})), Words{"attribute_value"});
}

TEST(AttributeSchema, no_more_errors_are_found_than_are_told) {
  const AttributeSchema schema{{spec_of("a", InputType::text)}};
  Attributes values;
  for (std::size_t i = 0; i < 2 * kMaxErrors; ++i) values.emplace("x" + std::to_string(i), 1.0);
  EXPECT_EQ(value_errors(schema, values).size(), kMaxErrors);
}

TEST(AttributeSchema, conditions_by_the_value_that_shows) {
  using List = std::vector<std::string>;
  struct Row {
    InputType type;
    AttributeValue equals;
    AttributeValue value;
    bool shown;
  };
  const Row rows[] = {
      {InputType::boolean, true, true, true},
      {InputType::boolean, false, nullptr, false},
      {InputType::boolean, nullptr, nullptr, true},
      {InputType::boolean, nullptr, false, false},
      {InputType::number, 2.0, 2.0, true},
      {InputType::number, 2.0, 2.5, false},
      {InputType::select, std::string("red"), std::string("red"), true},
      {InputType::select, std::string("red"), std::string("blue"), false},
      {InputType::multiselect, std::string("red"), List{"blue", "red"}, true},
      {InputType::multiselect, std::string("red"), List{"blue"}, false},
      {InputType::multiselect, List{"red", "blue"}, List{"blue", "red"}, true},
      {InputType::multiselect, List{"red"}, List{"blue", "red"}, false},
      {InputType::multiselect, nullptr, List{}, true},
  };
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    const AttributeSchema schema{{spec_of("a", rows[i].type), shown_by("b", "a", rows[i].equals)}};
    EXPECT_EQ(types_of(value_errors(schema, {{"a", rows[i].value}})),
              rows[i].shown ? Words{"missing"} : Words{})
        << "row " << i;
  }
}

TEST(AttributeSchema, a_condition_that_never_comes_true_is_refused) {
  using List = std::vector<std::string>;
  struct Row {
    AttributeSpec by;
    AttributeValue equals;
    bool good;
  };
  const Row rows[] = {
      {spec_of("a", InputType::boolean), std::string("true"), false},
      {spec_of("a", InputType::boolean), nullptr, true},
      {spec_of("a", InputType::select), std::string("green"), false},
      {spec_of("a", InputType::multiselect), std::string("red"), true},
      {spec_of("a", InputType::multiselect), List{"blue", "red"}, true},
      {spec_of("a", InputType::multiselect), List{"green"}, false},
      {bounded(InputType::number, 0, 1), 2.0, false},
      {bounded(InputType::number, 0, 1), 1.0, true},
  };
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    std::vector<FieldError> errors;
    check_schema({{rows[i].by, shown_by("b", "a", rows[i].equals)}}, {"s"}, errors);
    EXPECT_EQ(types_of(errors), rows[i].good ? Words{} : Words{"attribute_value"}) << "row " << i;
    if (rows[i].good || errors.empty()) continue;
    EXPECT_EQ(errors[0].loc,
              (Location{"s", "attributes", std::int64_t{1}, "visible_if", "equals"}));
  }
}

TEST(AttributeSchema, bounds_are_said_as_they_were_written) {
  const auto errors = value_errors({{bounded(InputType::number, 0.1, {})}}, {{"a", 0.0}});
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].msg, "Must be at least 0.1.");
}

TEST(AttributeSchema, an_attribute_is_for_its_classes_only) {
  auto spec = spec_of("a", InputType::text, true);
  spec.applies_to.classes = {"bus"};
  const AttributeSchema schema{{spec}};
  EXPECT_EQ(types_of(value_errors(schema, {}, "car")), Words{});
  EXPECT_EQ(types_of(value_errors(schema, {}, "bus")), Words{"missing"});
  EXPECT_EQ(types_of(value_errors(schema, {{"a", std::string("x")}}, "car")),
            Words{"unknown_attribute"});
}

TEST(AttributeSchema, without_a_schema_every_key_is_allowed) {
  EXPECT_TRUE(value_errors({}, {{"anything", 1.0}}).empty());
  EXPECT_EQ(types_of(value_errors({{spec_of("a", InputType::text)}}, {{"b", 1.0}})),
            Words{"unknown_attribute"});
}

}  // namespace
}  // namespace annolog::testing::attribute_schema_test
