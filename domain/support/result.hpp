// Result<T>: a value or a refusal. Reading the wrong side aborts the process (policy::terminate).
// Pass refusals on with BOOST_OUTCOME_TRY, in coroutines with BOOST_OUTCOME_CO_TRY.
#pragma once

#include <boost/outcome/basic_result.hpp>
#include <boost/outcome/policy/terminate.hpp>
#include <boost/outcome/try.hpp>

#include "domain/support/error.hpp"

namespace annolog {

template <class T>
using Result =
    boost::outcome_v2::basic_result<T, DomainError, boost::outcome_v2::policy::terminate>;

using boost::outcome_v2::success;

}  // namespace annolog
