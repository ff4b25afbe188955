// Calls to /api/v1 with what every call needs: credentials and their renewal after a 401, retries
// with back-off and Retry-After, an Idempotency-Key on writes, reads that wait for own writes.
// One ApiClient per thread; the Session is shared.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "app/client/call_error.hpp"
#include "app/client/http_session.hpp"
#include "app/client/session.hpp"

namespace annolog::client {

struct ApiReply {
  int status = 0;
  nlohmann::json body;  // null when empty
};

class ApiClient {
 public:
  explicit ApiClient(std::shared_ptr<Session> session);

  // path begins after /api/v1 and carries its query, encoded.
  Called<ApiReply> get(const std::string& path);
  Called<ApiReply> post(const std::string& path, const nlohmann::json& body,
                        const std::string& idempotency_key);
  Called<ApiReply> patch(const std::string& path, const nlohmann::json& body,
                         const std::string& idempotency_key, const std::string& if_match = {});
  Called<ApiReply> erase(const std::string& path, const std::string& idempotency_key);

  // Every item of a list, page by page; visit returns false to stop.
  Called<bool> each(const std::string& path_with_query,
                    const std::function<bool(const nlohmann::json&)>& visit);

  // To a signed URL: no credentials are sent.
  Called<HttpReply> put_file(const std::string& signed_url, const nlohmann::json& headers,
                             const std::filesystem::path& file, std::uint64_t bytes,
                             const std::function<void(std::uint64_t)>& on_sent);

  // A call whose body is a file and whose repetition changes nothing. The answer may take an hour.
  Called<ApiReply> post_file(const std::string& path, const std::filesystem::path& file,
                             std::uint64_t bytes);

  // Streams a 2xx body into sink. Before each try after the first, restart() is asked whether the
  // sink can begin again.
  Called<HttpReply> download(const std::string& path,
                             const std::function<bool(std::string_view)>& sink,
                             const std::function<bool()>& restart);

  Session& session() { return *session_; }

 private:
  Called<HttpReply> perform(HttpRequest request, bool authenticated,
                            const std::function<bool()>& restart);
  Called<ApiReply> write(const std::string& method, const std::string& path,
                         const nlohmann::json& body, const std::string& idempotency_key,
                         const std::string& if_match);

  std::shared_ptr<Session> session_;
  HttpSession http_;
  std::minstd_rand random_;
  std::string position_;  // of the last write: reads wait for it
};

// A key for a write that must not happen twice in this run: unguessable prefix, readable end.
std::string fresh_key(const std::string& what);

}  // namespace annolog::client
