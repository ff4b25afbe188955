#include "commands/handlers/handlers.hpp"

namespace annolog::commands {

// All that it records goes with its envelope.
Result<Handled> handle(const Handling&, const RecordRequest&) { return Handled{}; }

}  // namespace annolog::commands
