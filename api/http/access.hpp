// Who may call a route, as data in its table entry. There is no default: a route that does not say
// doesn't compile. The Gate (gate.hpp) judges it before the handler or the body is looked at.
#pragma once

#include <cstdint>
#include <string_view>

#include "domain/identity/permissions.hpp"

namespace annolog::http {

// What the path names, and so which project an action is judged in. `none`: the global role
// decides.
enum class Scope : std::uint8_t {
  none,
  project,
  task,
  annotation,
  batch,
  dataset,
  item,
  prediction,
  ml_backend,
  job,
  group,
  user,
};

class Access {
 public:
  enum class Kind : std::uint8_t { open, signed_url, operator_only, needs };

  // Anyone. The handler checks what there is to check (login, captcha, health).
  static constexpr Access open() {
    return Access(Kind::open, Action::use_account, Scope::none, {});
  }
  // Whoever holds a signed URL for this method and path; the Gate checks the signature.
  static constexpr Access signed_url() {
    return Access(Kind::signed_url, Action::use_account, Scope::none, {});
  }
  // The operator of the machine, who has the service's keys (api/auth/operator_token.hpp).
  static constexpr Access operator_only() {
    return Access(Kind::operator_only, Action::use_account, Scope::none, {});
  }
  // A caller who may do `action` in the project that the path parameter `param` leads to; without
  // `param` it is the scope's usual one: project_id, task_id, ... (see default_param).
  static constexpr Access needs(Action action, Scope scope, std::string_view param = {}) {
    return Access(Kind::needs, action, scope, param.empty() ? default_param(scope) : param);
  }

  // A caller who may do the action in any project is let through to one that does not exist: what
  // decides says 404, and answers a retry of the very deletion as it answered the first.
  constexpr Access even_when_gone() const {
    Access access = *this;
    access.even_when_gone_ = true;
    return access;
  }

  constexpr Kind kind() const { return kind_; }
  constexpr Action action() const { return action_; }
  constexpr Scope scope() const { return scope_; }
  constexpr std::string_view param() const { return param_; }
  constexpr bool is_even_when_gone() const { return even_when_gone_; }

 private:
  constexpr Access(Kind kind, Action action, Scope scope, std::string_view param)
      : kind_(kind), action_(action), scope_(scope), param_(param) {}

  static constexpr std::string_view default_param(Scope scope) {
    switch (scope) {
      case Scope::project: return "project_id";
      case Scope::task: return "task_id";
      case Scope::annotation: return "annotation_id";
      case Scope::batch: return "batch_id";
      case Scope::dataset: return "dataset_id";
      case Scope::item: return "item_id";
      case Scope::prediction: return "prediction_id";
      case Scope::ml_backend: return "backend_id";
      case Scope::job: return "job_id";
      case Scope::group: return "group_id";
      case Scope::user: return "user_id";
      case Scope::none: break;
    }
    return {};
  }

  Kind kind_;
  Action action_;
  Scope scope_;
  std::string_view param_;
  bool even_when_gone_ = false;
};

}  // namespace annolog::http
