#include "workers/webhooks/curl_handle.hpp"

#include <mutex>
#include <stdexcept>

namespace annolog::workers {

void start_curl() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
      throw std::runtime_error("libcurl cannot start");
  });
}

CurlHandle new_curl_handle() {
  start_curl();
  CurlHandle handle(curl_easy_init());
  if (!handle) throw std::runtime_error("libcurl cannot make a call");
  return handle;
}

}  // namespace annolog::workers
