// Where a webhook may lead, looked at before it is kept. What counts is the address that is
// connected to later (http_posts.hpp); this tells people at once.
#pragma once

#include <chrono>
#include <string>

#include "domain/support/result.hpp"

namespace annolog::workers {

constexpr std::chrono::milliseconds kLongestLookup{5000};

enum class PrivateAddresses { refused, allowed };

// VALIDATION_ERROR at `url` unless it is http or https, without credentials or fragment, to a host
// that is no private or local address and has none. A name that can't be resolved now is taken.
// Blocks for as long as the system's resolver does, kLongestLookup at most; any thread.
Result<void> check_webhook_url(const std::string& url, PrivateAddresses private_ones);

}  // namespace annolog::workers
