// The log in the Kafka cluster that ANNOLOG_TEST_KAFKA names, under topics of its own.
#pragma once

#include "tests/contract/log_adapters.hpp"

namespace annolog::eventstore {

// Nothing when the variable is not set; then ANNOLOG_REQUIRE_KAFKA makes it an error.
std::unique_ptr<LogUnderTest> make_kafka_under_test();

}  // namespace annolog::eventstore
