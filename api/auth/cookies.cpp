#include "api/auth/cookies.hpp"

namespace annolog::api {
namespace {

bool is_loopback(std::string_view address) {
  return address.starts_with("127.") || address == "::1" || address.starts_with("::ffff:127.");
}

// The name by which the browser knows the service, without the port.
bool is_loopback_host(std::string_view host) {
  if (host.starts_with('[')) return host.starts_with("[::1]");
  const std::string_view name = host.substr(0, host.find(':'));
  return is_loopback(name) || name == "localhost";
}

// Off only for plain HTTP on this machine itself, where browsers drop the cookie otherwise. A proxy
// that ends TLS may be on this machine too: the host tells.
bool is_secure(const Call& call, const Services& services) {
  const bool https = call.head().over_tls || services.options.public_url.starts_with("https://");
  return https || !is_loopback(call.head().client_address) ||
         !is_loopback_host(call.head().header("host").value_or(""));
}

}  // namespace

std::string set_cookie(const Call& call, const Services& services, const Cookie& cookie) {
  std::string text(cookie.name);
  text += '=';
  text += cookie.value;
  text += "; Path=";
  text += cookie.path;
  text += "; Max-Age=" + std::to_string(cookie.max_age_s) + "; HttpOnly";
  if (is_secure(call, services)) text += "; Secure";
  text += "; SameSite=";
  text += cookie.same_site;
  return text;
}

}  // namespace annolog::api
