// Why a step of a sign-in with the provider did not succeed. Values; any thread.
#pragma once

#include <string>
#include <string_view>

#include <boost/outcome/basic_result.hpp>
#include <boost/outcome/policy/terminate.hpp>

namespace annolog::api::oidc {

struct ProviderError {
  enum class Kind {
    away,            // no answer, or one of a server in trouble: later it may succeed
    code_refused,    // unknown, used, expired, or not of this client, redirect URI or verifier
    client_refused,  // the provider does not take what the settings say: an operator must look
    not_understood,  // the answer is not what the protocol says
    bad_token,       // the ID token is not to be believed
  };

  Kind kind = Kind::not_understood;
  // For the log. Made of fixed words, libcurl's reasons and status numbers: neither secrets nor
  // codes nor text of the provider's.
  std::string detail;
};
std::string_view to_string(ProviderError::Kind kind);

template <class T>
using ProviderResult =
    boost::outcome_v2::basic_result<T, ProviderError, boost::outcome_v2::policy::terminate>;

}  // namespace annolog::api::oidc
