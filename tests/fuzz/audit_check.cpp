// A file that calls itself an audit export, its keys and its checkpoints: whatever the bytes, the
// check ends with what is wrong; nothing that was not signed by the key is sound.
#include "workers/audit/audit_check.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "workers/audit/checkpoint_file.hpp"

namespace annolog::fuzz {
namespace {

void each_line(std::string_view text, const std::function<void(std::string_view)>& take) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    take(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

void try_input(std::string_view input) {
  // No private half of it is known.
  workers::PublicKeys keys;
  keys.add(platform::Ed25519PublicKey{1, 2, 3});
  std::int64_t told = 0;
  workers::AuditCheck check(keys, {}, [&](const workers::AuditFault& fault) {
    ++told;
    require(!workers::to_text(fault).empty(), "a fault is told");
  });
  each_line(input, [&](std::string_view line) { check.add_line(line); });
  check.finish();
  require(!check.is_sound() && told > 0, "nobody else can sign");

  workers::CheckpointCheck checkpoints(keys, [](const std::string&) {});
  each_line(input, [&](std::string_view line) {
    require(!checkpoints.add(line), "nobody else can sign");
  });
  (void)workers::PublicKeys::parse(input);
}

}  // namespace annolog::fuzz
