#include "commands/reply.hpp"

namespace annolog::commands {

Reply::Reply() = default;
Reply::Reply(const Reply&) = default;
Reply::Reply(Reply&&) noexcept = default;
Reply& Reply::operator=(const Reply&) = default;
Reply& Reply::operator=(Reply&&) noexcept = default;
Reply::~Reply() = default;

}  // namespace annolog::commands
