// A local file as the body of an answer: http::bytes(type, co_await open_file(pool, path), etag).
// Reads run on the pool, a piece at a time, so that a slow disk never holds an I/O thread. The open
// file stays readable when its name is removed.
#pragma once

#include <memory>
#include <string>

#include "api/http/reply.hpp"
#include "platform/thread_pool.hpp"

namespace annolog::http {

// not_found when there is no such regular file; 503 when the pool is full. The pool must outlive
// the answer.
awaitable<Result<SourceBody>> open_file(platform::ThreadPool& pool, std::string path);

}  // namespace annolog::http
