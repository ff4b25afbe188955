#include "domain/webhook/state.hpp"

#include "domain/support/patch.hpp"

namespace annolog {

WebhookState born(const WebhookCreated& event, const Happened& how) {
  WebhookState state;
  state.id = event.webhook_id;
  state.project_id = event.project_id;
  state.name = event.name;
  state.url = event.url;
  state.events = event.events;
  state.active = event.active;
  state.nonce = event.nonce;
  state.created_by = event.created_by;
  state.version = 1;
  state.created_at = how.at;
  state.updated_at = how.at;
  return state;
}

void evolve(WebhookState& state, const WebhookUpdated& event, const Happened& how) {
  set_if(state.name, event.name);
  set_if(state.url, event.url);
  set_if(state.events, event.events);
  set_if(state.active, event.active);
  if (event.active == true) {
    state.disabled_at.reset();
    state.disabled_reason.reset();
  }
  touch(state, how);
}

void evolve(WebhookState& state, const WebhookSecretRotated& event, const Happened& how) {
  state.previous_nonce = state.nonce;
  state.previous_until = event.previous_until;
  state.nonce = event.nonce;
  touch(state, how);
}

void evolve(WebhookState& state, const WebhookDisabled& event, const Happened& how) {
  state.active = false;
  state.disabled_at = how.at;
  state.disabled_reason = event.reason;
  touch(state, how);
}

}  // namespace annolog
