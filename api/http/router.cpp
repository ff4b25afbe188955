#include "api/http/router.hpp"

#include <algorithm>
#include <stdexcept>

#include "api/http/text.hpp"
#include "domain/support/ids.hpp"
#include "domain/support/number.hpp"

namespace annolog::http {

struct Router::Node {
  struct ParamEdge {
    ParamKind kind;
    std::string suffix;
    std::unique_ptr<Node> node;
  };
  std::map<std::string, std::unique_ptr<Node>, std::less<>> literals;
  std::vector<ParamEdge> params;  // in the order they are tried
  Endpoint endpoint;
  bool is_end = false;
};

namespace {

bool read_param(ParamKind kind, std::string_view raw, PathParams::Param& param) {
  if (raw.empty()) return false;
  if (kind == ParamKind::text || kind == ParamKind::rest) {
    if (raw.find('%') == std::string_view::npos) {
      param.text = raw;
      return true;
    }
    auto decoded = percent_decode(raw, false);
    if (!decoded) return false;
    param.text = std::move(*decoded);
    return true;
  }
  const auto number = number_from<std::uint64_t>(raw);
  const std::uint64_t least = kind == ParamKind::id ? 1 : 0;
  if (!number || *number < least || *number > static_cast<std::uint64_t>(kMaxId)) return false;
  param.number = static_cast<std::int64_t>(*number);
  param.text = raw;
  return true;
}

bool edge_order(ParamKind a, const std::string& a_suffix, ParamKind b,
                const std::string& b_suffix) {
  if (a_suffix.size() != b_suffix.size()) return a_suffix.size() > b_suffix.size();
  return a < b;
}

}  // namespace

std::optional<TemplateParam> parse_segment(std::string_view segment) {
  if (!segment.starts_with('{')) {
    if (segment.find_first_of("{}") != std::string_view::npos) {
      throw std::logic_error("a parameter must begin its segment: " + std::string(segment));
    }
    return std::nullopt;
  }
  const std::size_t close = segment.find('}');
  if (close == std::string_view::npos) {
    throw std::logic_error("a parameter without its end: " + std::string(segment));
  }
  TemplateParam param;
  std::string_view kind = segment.substr(1, close - 1);
  param.name = std::string(take_until(kind, ':'));
  param.suffix = std::string(segment.substr(close + 1));
  if (kind == "int") {
    param.kind = ParamKind::integer;
  } else if (kind == "path") {
    param.kind = ParamKind::rest;
  } else if (kind == "id" ||
             (kind.empty() && (param.name == "id" || param.name.ends_with("_id")))) {
    param.kind = ParamKind::id;
  } else if (!kind.empty() && kind != "text") {
    throw std::logic_error("an unknown kind of parameter: " + std::string(segment));
  }
  if (param.name.empty()) throw std::logic_error("a parameter without a name");
  return param;
}

const RouteEntry* Endpoint::find(Method method) const {
  const RouteEntry* entry = by_method[static_cast<std::size_t>(method)];
  if (entry == nullptr && method == Method::head) {
    return by_method[static_cast<std::size_t>(Method::get)];
  }
  return entry;
}

Router::Router(RouteTable routes) : routes_(std::move(routes)), root_(std::make_unique<Node>()) {
  for (std::size_t i = 0; i < routes_.size(); ++i) add(routes_[i], i);
}

Router::~Router() = default;

void Router::add(const Route& route, std::size_t index) {
  const std::string where = std::string(to_string(route.method)) + " " + route.path;
  if (!route.path.starts_with('/') || !route.handler) {
    throw std::logic_error("a route needs a path from / on and a handler: " + where);
  }
  RouteEntry entry{&route, index, {}};
  Node* node = root_.get();
  std::string_view rest = std::string_view(route.path).substr(1);
  for (bool more = true; more;) {
    more = rest.find('/') != std::string_view::npos;
    const std::string_view segment = take_until(rest, '/');
    const auto param = parse_segment(segment);
    if (!param) {
      auto& child = node->literals[std::string(segment)];
      if (!child) child = std::make_unique<Node>();
      node = child.get();
      continue;
    }
    if (param->kind == ParamKind::rest && more) {
      throw std::logic_error("a :path parameter must be the last segment: " + where);
    }
    entry.param_names.push_back(param->name);
    auto edge = std::find_if(node->params.begin(), node->params.end(), [&](const auto& e) {
      return e.kind == param->kind && e.suffix == param->suffix;
    });
    if (edge == node->params.end()) {
      edge = std::find_if(node->params.begin(), node->params.end(), [&](const auto& e) {
        return edge_order(param->kind, param->suffix, e.kind, e.suffix);
      });
      edge = node->params.insert(edge, {param->kind, param->suffix, std::make_unique<Node>()});
    }
    node = edge->node.get();
  }
  const Access& access = route.access;
  if (access.scope() != Scope::none && std::find(entry.param_names.begin(), entry.param_names.end(),
                                                 access.param()) == entry.param_names.end()) {
    throw std::logic_error("the path lacks the parameter that its access names, " +
                           std::string(access.param()) + ": " + where);
  }
  if (entry.param_names.size() > PathParams::kMax) {
    throw std::logic_error("too many parameters: " + where);
  }
  auto& slot = node->endpoint.by_method[static_cast<std::size_t>(route.method)];
  if (slot != nullptr) throw std::logic_error("a route is given twice: " + where);
  entries_.push_back(std::move(entry));
  slot = &entries_.back();
  node->is_end = true;

  std::string& allow = node->endpoint.allow;
  allow = "OPTIONS";
  for (const Method method :
       {Method::get, Method::head, Method::post, Method::put, Method::patch, Method::del}) {
    if (node->endpoint.find(method) != nullptr) (allow += ", ") += to_string(method);
  }
}

const Endpoint* Router::find(std::string_view path, PathParams& params) const {
  params.clear();
  if (!path.starts_with('/')) return nullptr;
  return walk(*root_, path.substr(1), params);
}

const Endpoint* Router::walk(const Node& node, std::string_view rest, PathParams& params) {
  const std::size_t slash = rest.find('/');
  const bool last = slash == std::string_view::npos;
  const std::string_view segment = rest.substr(0, slash);
  const std::string_view behind = last ? std::string_view() : rest.substr(slash + 1);

  std::string decoded;
  std::string_view literal = segment;
  if (segment.find('%') != std::string_view::npos) {
    auto text = percent_decode(segment, false);
    if (!text) return nullptr;
    decoded = std::move(*text);
    literal = decoded;
  }
  if (const auto child = node.literals.find(literal); child != node.literals.end()) {
    const Node& next = *child->second;
    const Endpoint* found =
        last ? (next.is_end ? &next.endpoint : nullptr) : walk(next, behind, params);
    if (found != nullptr) return found;
  }
  for (const auto& edge : node.params) {
    if (params.size() == PathParams::kMax) return nullptr;
    const std::string_view raw = edge.kind == ParamKind::rest ? rest : segment;
    if (!raw.ends_with(edge.suffix)) continue;
    PathParams::Param& param = params.add();
    if (read_param(edge.kind, raw.substr(0, raw.size() - edge.suffix.size()), param)) {
      const Endpoint* found = last || edge.kind == ParamKind::rest
                                  ? (edge.node->is_end ? &edge.node->endpoint : nullptr)
                                  : walk(*edge.node, behind, params);
      if (found != nullptr) return found;
    }
    params.pop();
  }
  return nullptr;
}

void Router::name_params(const RouteEntry& entry, PathParams& params) {
  params.set_names(entry.param_names);
}

}  // namespace annolog::http
