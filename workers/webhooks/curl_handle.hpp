// libcurl's handle for one transfer.
#pragma once

#include <curl/curl.h>

#include <memory>

namespace annolog::workers {

struct CurlCleanup {
  void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
};
using CurlHandle = std::unique_ptr<CURL, CurlCleanup>;

// Once for the process, before the first of its calls; again it does nothing. Any thread; throws
// std::runtime_error.
void start_curl();
// Never null; throws std::runtime_error.
CurlHandle new_curl_handle();

}  // namespace annolog::workers
