// Which URLs a provider may have, read by the parser of the library that will call them. Pure; any
// thread.
#pragma once

#include <string>

namespace annolog::api::oidc {

enum class UrlKind {
  refused,         // anything else; also with a user name, a fragment, or beyond printable ASCII
  https,           // to any host
  plain_loopback,  // http to this machine: a provider of tests and trials
};

UrlKind url_kind(const std::string& url);

}  // namespace annolog::api::oidc
