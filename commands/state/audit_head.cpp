#include "commands/state/audit_head.hpp"

#include <utility>

#include "commands/state/fold.hpp"
#include "platform/digest.hpp"
#include "platform/encoding.hpp"

namespace annolog::commands {

const AuditHead& ShardState::audit_head() {
  if (!cache_.audit_head)
    cache_.audit_head = find<AuditHead>(Key(Table::audit_head)).value_or(AuditHead{});
  return *cache_.audit_head;
}

void ShardState::save(AuditHead head) {
  put(Key(Table::audit_head), head);
  cache_.audit_head = std::move(head);
}

void fold_audit(ShardState& state, const Event& event, std::string_view data) {
  const auto* request = std::get_if<RequestRecorded>(&event);
  if (request == nullptr) return;
  const auto digest = platform::sha256(data);
  state.save(AuditHead{request->number, platform::to_hex(platform::as_bytes_view(digest))});
}

}  // namespace annolog::commands
