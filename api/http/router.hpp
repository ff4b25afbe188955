// Finds the route of a request: a trie of path segments, built once from the tables; reads are
// lock-free from any thread and allocate nothing but decoded parameter texts.
// Literal segments win over id and integer parameters, those over text.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/path_params.hpp"
#include "api/http/route.hpp"

namespace annolog::http {

enum class ParamKind : std::uint8_t { id, integer, text, rest };

struct RouteEntry {
  const Route* route = nullptr;
  std::size_t index = 0;                 // in the whole table, for metrics
  std::vector<std::string> param_names;  // in order of the path
};

// All methods of one path.
struct Endpoint {
  static constexpr std::size_t kMethods = 8;
  std::array<const RouteEntry*, kMethods> by_method{};
  std::string allow;  // value of the Allow header

  const RouteEntry* find(Method method) const;  // HEAD finds GET
};

class Router {
 public:
  // Throws std::logic_error for malformed templates, routes given twice, missing handlers, and
  // access scopes whose parameter the path does not have.
  explicit Router(RouteTable routes);
  ~Router();
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  // Fills `params`; their names are set by name_params once the method is known.
  const Endpoint* find(std::string_view path, PathParams& params) const;
  static void name_params(const RouteEntry& entry, PathParams& params);

  const RouteTable& routes() const { return routes_; }

 private:
  struct Node;
  void add(const Route& route, std::size_t index);
  static const Endpoint* walk(const Node& node, std::string_view rest, PathParams& params);

  RouteTable routes_;
  std::deque<RouteEntry> entries_;
  std::unique_ptr<Node> root_;
};

// {name, kind} of each parameter of a template, in order; for the router and the OpenAPI document.
struct TemplateParam {
  std::string name;
  ParamKind kind = ParamKind::text;
  std::string suffix;  // literal behind it in its segment, e.g. ":propagate"
};
// One segment: a parameter, or nullopt for a literal.
std::optional<TemplateParam> parse_segment(std::string_view segment);

}  // namespace annolog::http
