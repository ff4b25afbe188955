// The names of the log's topics in Kafka, for the AsyncAPI document: api/ may not know the adapter.
#pragma once

#include <string>

#include "api/asyncapi/document.hpp"

namespace annolog::app {

api::LogTopics log_topics(const std::string& prefix);

}  // namespace annolog::app
