// Requests in pieces: where the network cut the bytes must not matter.
#include "api/http/request_parser.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace annolog::http::request_parser_test {
namespace {

using Status = RequestParser::Status;

// The decoded body, offered with one byte more each time; nullopt unless it ends with the input.
std::optional<std::string> read_byte_by_byte(std::string_view chunks) {
  RequestParser parser(1024, 8);
  std::size_t consumed = 0;
  const std::string head = "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  if (parser.parse_head(head, consumed) != Status::done) return std::nullopt;
  std::string body;
  std::array<char, 16> out{};
  consumed = 0;
  for (std::size_t came = 0; came <= chunks.size(); ++came) {
    const auto step = parser.parse_chunks(chunks.substr(consumed, came - consumed), out);
    consumed += step.consumed;
    body.append(out.data(), step.produced);
    if (step.status == Status::refused) return std::nullopt;
    if (step.status == Status::done) return came == chunks.size() ? std::optional(body) : "early";
  }
  return std::nullopt;
}

TEST(RequestParser, an_empty_chunked_body_may_come_byte_by_byte) {
  EXPECT_EQ(read_byte_by_byte("0\r\n\r\n"), "");
  EXPECT_EQ(read_byte_by_byte("000\r\n\r\n"), "");
}

TEST(RequestParser, chunks_may_come_byte_by_byte) {
  EXPECT_EQ(read_byte_by_byte("5\r\n01\r\n0\r\n05;a=b\r\n0\r\n\r\n\r\n0\r\nX: 1\r\n\r\n"),
            "01\r\n00\r\n\r\n");
}

}  // namespace
}  // namespace annolog::http::request_parser_test
