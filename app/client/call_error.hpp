// Why a call to the service failed, as a value. Pure; any thread. Error bodies: decisions, 1.
#pragma once

#include <boost/outcome/basic_result.hpp>
#include <boost/outcome/policy/terminate.hpp>
#include <boost/outcome/try.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "app/client/http_session.hpp"

namespace annolog::client {

// Why a call did not succeed, for a person and for a decision. status 0: no reply at all.
struct CallError {
  int status = 0;
  std::string code;  // the service's error code, e.g. DUPLICATE
  std::string message;
  nlohmann::json detail;  // the error body's detail object

  std::string text() const;  // one line
};

template <class T>
using Called = boost::outcome_v2::basic_result<T, CallError, boost::outcome_v2::policy::terminate>;

// From a reply that is not 2xx: {detail: text} or {detail: {code, message, errors?}}; of anything
// else the beginning is shown.
CallError error_of(const HttpReply& reply);
CallError transport_error(const TransportError& fault, const std::string& url, int attempts);

}  // namespace annolog::client
