// Which addresses of the network are anybody's: all but those that mean this machine, its networks,
// or nobody. What calls out on behalf of others asks this of the very address it connects to. By
// the IANA special-purpose address registries (RFC 6890). Pure; any thread.
#pragma once

#include <optional>
#include <string_view>

struct sockaddr;

namespace annolog::platform {

// Of another family than IPv4 and IPv6: no.
bool is_public_address(const sockaddr& address);
// nullopt: no address. Without brackets; a zone (%eth0) makes it one of a local network.
std::optional<bool> is_public_address(std::string_view text);

}  // namespace annolog::platform
