// JSON bodies of routes: strict parsing, the schema, binding, and what handlers make of it. The
// first byte chooses the body's type.
#include <string>

#include "api/http/json_parse.hpp"
#include "api/http/validate.hpp"
#include "api/views/shapes.hpp"
#include "domain/project/attribute_check.hpp"
#include "domain/project/classes.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace annolog::fuzz {

// The members of a project's creation, with every rule that fields can have.
struct ProjectBody {
  std::string name;
  ProjectType type_key = ProjectType::image_det;
  std::vector<ClassSpec> classes_config;
  AttributeSchema attribute_schema;
  bool review_required = false;
  JsonText rendering_config{"{}"};
  std::optional<std::int64_t> source_id;
  std::optional<Timestamp> due_at;
};
BOOST_DESCRIBE_STRUCT(ProjectBody, (),
                      (name, type_key, classes_config, attribute_schema, review_required,
                       rendering_config, source_id, due_at))

}  // namespace annolog::fuzz

namespace annolog::http {

template <>
struct SchemaRules<fuzz::ProjectBody> {
  static void apply(ObjectRules& rules) {
    rules.field("name").length(1, 200);
    rules.field("classes_config").items(0, 100).defaulted();
    rules.field("attribute_schema").defaulted();
    rules.field("review_required").defaulted();
    rules.field("rendering_config").defaulted();
    rules.field("source_id").range(1, 1000);
  }
};

}  // namespace annolog::http

namespace annolog::fuzz {
namespace {

// The body, when it is taken.
http::BoundInput read(const http::InputSchema& schema, std::string_view text) {
  http::Findings findings;
  auto parsed = http::parse_client_json(text, findings.errors);
  if (const auto* malformed = std::get_if<http::MalformedJson>(&parsed)) {
    require(malformed->line >= 1 && malformed->column >= 1, "a mistake has a place");
    require(!http::to_error(*malformed).message.empty(), "a mistake has a message");
    return {};
  }
  auto& document = std::get<nlohmann::json>(parsed);
  if (findings.errors.empty()) http::validate(*schema.schema, document, findings);
  require(findings.errors.size() <= kMaxErrors + 1, "errors are counted");
  if (!findings.errors.empty()) return {};
  auto bound = schema.bind(document, findings.errors);
  require(bound || !findings.errors.empty(), "a body binds, or it is said why not");
  return findings.errors.empty() ? bound : http::BoundInput();
}

// A body that was taken, written again, is taken and is the same.
template <class Body>
const Body* stable(http::BoundInput& first, std::string_view text) {
  static const http::InputSchema schema = http::schema_of<Body>();
  first = read(schema, text);
  if (!first) return nullptr;
  const std::string written = codec::to_json_text(first.template get<Body>());
  const auto second = read(schema, written);
  require(static_cast<bool>(second), "a body that was written is taken");
  require(codec::to_json_text(second.template get<Body>()) == written, "and is the same");
  return &first.template get<Body>();
}

void check(const std::vector<Shape>& shapes) {
  for (Shape shape : shapes) {
    std::vector<FieldError> errors;
    check_geometry(shape.geometry, {"geometry"}, errors);
    if (const auto* box = std::get_if<Bbox>(&shape.geometry); box != nullptr && errors.empty()) {
      require(box->x >= 0 && box->y >= 0 && box->width <= 1 && box->height <= 1,
              "a box lies in its image");
    }
  }
}

void check(const ProjectBody& body) {
  std::vector<FieldError> errors;
  check_schema(body.attribute_schema, {"attribute_schema"}, errors);
  AttributeCheck(body.attribute_schema)
      .check("car", {{"colour", std::string("red")}, {"n", 0.5}}, {"attributes"}, errors);
  const auto classes = replace_classes({}, body.classes_config, {"classes_config"});
  if (!classes) return;
  const auto again = replace_classes(classes.value(), body.classes_config, {"classes_config"});
  require(again && again.value() == classes.value(), "the same classes again are no change");
}

}  // namespace

void try_input(std::string_view input) {
  if (input.empty()) return;
  http::BoundInput bound;
  const std::string_view text = input.substr(1);
  switch (input.front()) {
    case 'A':
      if (const auto* body = stable<api::AddAnnotationsBody>(bound, text)) {
        if (const auto shapes = api::to_shapes(*body)) check(shapes.value().value);
      }
      break;
    case 'P':
      if (const auto* body = stable<api::GeometryInput>(bound, text)) {
        (void)api::to_geometry(*body);
      }
      break;
    default:
      if (const auto* body = stable<ProjectBody>(bound, text)) check(*body);
  }
}

}  // namespace annolog::fuzz
