#include "api/oidc/pkce.hpp"

#include <gtest/gtest.h>

namespace annolog::api::oidc::pkce_test {
namespace {

TEST(Pkce, the_challenge_is_that_of_rfc_7636_appendix_b) {
  EXPECT_EQ(code_challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
}

}  // namespace
}  // namespace annolog::api::oidc::pkce_test
