// Reads HTTP/1.x requests out of bytes as they come: heads with their limits and the guards against
// request smuggling, and chunked bodies. No I/O. One connection's thread.
// Sources: RFC 9112, sections 3, 5, 6, 7 and 11.2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/http/request_head.hpp"

namespace annolog::http {

// Why a head is not taken; the connection answers and closes.
struct HeadRefusal {
  int status = 400;
  std::string code;
  std::string message;
};

class RequestParser {
 public:
  RequestParser(std::size_t max_header_bytes, std::size_t max_header_count);
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  enum class Status { need_more, done, refused };

  // Makes it ready for the next request.
  void reset();
  // `input` is all that is buffered; `consumed` says how much of it may be dropped.
  Status parse_head(std::string_view input, std::size_t& consumed);
  const HeadRefusal& refusal() const { return refusal_; }
  // Valid after done until reset().
  RequestHead& head() { return head_; }

  bool has_body() const { return chunked_ || content_length_.value_or(0) > 0; }
  bool chunked() const { return chunked_; }
  std::optional<std::uint64_t> content_length() const { return content_length_; }

  // Chunked bodies only: decodes into `out`. done: the last chunk and its trailers are through.
  struct BodyStep {
    Status status = Status::need_more;
    std::size_t consumed = 0;
    std::size_t produced = 0;
  };
  BodyStep parse_chunks(std::string_view input, std::span<char> out);

 private:
  class Machine;
  Status refuse(int status, std::string code, std::string message);
  Status finish_head();
  bool check_framing();
  bool check_target();
  bool check_host();
  bool check_repeated();

  std::size_t max_header_bytes_;
  std::size_t max_header_count_;
  std::unique_ptr<Machine> machine_;
  std::size_t head_bytes_ = 0;
  RequestHead head_;
  HeadRefusal refusal_;
  bool chunked_ = false;
  std::optional<std::uint64_t> content_length_;
};

}  // namespace annolog::http
