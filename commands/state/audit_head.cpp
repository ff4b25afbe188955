// The chain of the shard's requests (domain/audit/events.hpp).
#include "commands/state/fold.hpp"
#include "platform/digest.hpp"
#include "platform/encoding.hpp"

namespace annolog::commands {

AuditHead audit_head(const ShardState& state) {
  return state.find<AuditHead>(Key(Table::audit_head)).value_or(AuditHead{});
}

void fold_audit(ShardState& state, const Event& event, std::string_view data) {
  const auto* request = std::get_if<RequestRecorded>(&event);
  if (request == nullptr) return;
  const auto digest = platform::sha256(data);
  state.put(Key(Table::audit_head),
            AuditHead{request->number, platform::to_hex(platform::as_bytes_view(digest))});
}

}  // namespace annolog::commands
