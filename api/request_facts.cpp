#include "api/request_facts.hpp"

#include "api/audit_origins.hpp"
#include "api/http/blocking.hpp"
#include "api/http/route.hpp"
#include "domain/batch/ref.hpp"

namespace annolog::api {
namespace {

using http::Call;

constexpr std::size_t kMaxPath = 1024;
constexpr std::size_t kMaxAgentBytes = 4 * kMaxAuditedAgent;  // of UTF-8

std::string_view word_of(http::Scope scope) {
  switch (scope) {
    case http::Scope::project: return "project";
    case http::Scope::task: return "task";
    case http::Scope::annotation: return "annotation";
    case http::Scope::batch: return "batch";
    case http::Scope::dataset: return "dataset";
    case http::Scope::item: return "item";
    case http::Scope::prediction: return "prediction";
    case http::Scope::ml_backend: return "ml_backend";
    case http::Scope::job: return "job";
    case http::Scope::group: return "group";
    case http::Scope::user: return "user";
    case http::Scope::none: break;
  }
  return "";
}

// A refused one may be of any length.
std::string first_characters(std::string_view text) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U;
    if (begins && ++characters > kMaxAuditedReason) return std::string(text.substr(0, i));
  }
  return std::string(text);
}

std::string param_of(const std::string& target_type) {
  if (target_type == "api_key") return "key_id";
  if (target_type == "async_job") return "job_id";
  return target_type + "_id";
}

bool is_about_caller(const http::Route& route) {
  using Kind = http::Access::Kind;
  return route.access.kind() == Kind::open ||
         (route.access.kind() == Kind::needs && route.access.action() == Action::use_account);
}

UserId actor_of(const Call& call) { return call.audit().actor.value_or(call.caller().id); }

CallerProof proof_of(const Call& call) {
  if (call.caller().is_operator) return CallerProof::operator_key;
  if (call.caller().id.value == 0)
    return call.audit().actor ? CallerProof::signing_in : CallerProof::nobody;
  return call.caller().by_api_key ? CallerProof::api_key : CallerProof::token;
}

void name_target(const Call& call, RequestFacts& facts) {
  const http::Route& route = call.route();
  facts.target_type = route.target.empty() ? word_of(route.access.scope()) : route.target;
  if (facts.target_type == "batch") {
    const BatchRef ref = batch_ref_from(call.text("batch_id"));
    if (ref.id != 0) facts.target_id = ref.id;
    else if (is_display_id(ref)) facts.detail.display_id = to_string(ref);
  } else if (const auto id = call.number(param_of(facts.target_type)); id != 0) {
    facts.target_id = id;
  } else if (facts.target_type == "user" && is_about_caller(route) && actor_of(call).value != 0) {
    facts.target_id = actor_of(call).value;
  }
  if (call.audit().target_id) facts.target_id = call.audit().target_id;
  if (const auto id = call.id<ProjectId>("project_id"); id.value != 0) facts.project_id = id;
  if (const auto id = call.id<TaskId>("task_id"); id.value != 0) facts.task_id = id;
}

// Nothing: this node does not know the person. Sealed with another's key their address would
// outlive them.
std::optional<std::string> key_of(const Call& call, const Services& services) {
  if (!call.audit().key_id.empty()) return call.audit().key_id;
  const UserId actor = actor_of(call);
  if (actor.value == 0) return kKeyOfNobody;
  const auto user = services.directory.user(actor);
  return user ? std::optional(user->key_id) : std::nullopt;
}

http::awaitable<RequestOrigin> origin_of(Call& call, Services& services) {
  AuditOrigins& origins = services.audit_origins;
  RequestOrigin origin;
  if (auto key_id = key_of(call, services)) {
    const AuditOrigins::Place place{
        std::move(*key_id), call.head().client_address,
        call.head().header("user-agent").value_or("").substr(0, kMaxAgentBytes)};
    if (auto known = origins.find(place)) co_return std::move(*known);
    auto sealed = co_await http::blocking(
        services.file_threads, [&]() -> Result<RequestOrigin> { return origins.seal(place); });
    if (sealed) origin = std::move(sealed).assume_value();
  }
  if (!origin.sealed) origins.count_lost();
  co_return origin;
}

}  // namespace

bool goes_with_command(const Call& call) {
  const http::Route& route = call.route();
  return !route.action.empty() && route.reply.later_when.empty() && !call.audit().at_end;
}

http::awaitable<RequestFacts> request_facts(Call& call, Services& services, int status) {
  const http::Route& route = call.route();
  RequestFacts facts;
  facts.action = route.action;
  facts.method = call.head().method_text;
  const std::string_view path = route.secret_path ? std::string_view(route.path) : call.head().path;
  facts.path = path.substr(0, kMaxPath);
  facts.status = status;
  facts.proof = proof_of(call);
  facts.detail = call.audit().detail;
  if (facts.detail.reason) facts.detail.reason = first_characters(*facts.detail.reason);
  name_target(call, facts);
  facts.origin = co_await origin_of(call, services);
  co_return facts;
}

}  // namespace annolog::api
