// SHA-256 (FIPS 180-4), BLAKE2b (RFC 7693), MD5 (RFC 1321, only to match what clients and S3
// compute) and HMAC-SHA-256 (RFC 2104). Values: use one object from one thread. Throws
// std::runtime_error only when the crypto library fails. Bytes travel as std::string_view.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

struct evp_md_ctx_st;

namespace annolog::platform {

using Sha256Digest = std::array<std::uint8_t, 32>;
using Blake2bDigest = std::array<std::uint8_t, 32>;
using Md5Digest = std::array<std::uint8_t, 16>;
using MacKey = std::array<std::uint8_t, 32>;

namespace detail {
struct DigestContextDelete {
  void operator()(evp_md_ctx_st* context) const noexcept;
};
using DigestContext = std::unique_ptr<evp_md_ctx_st, DigestContextDelete>;
}  // namespace detail

// Feed with update(); finish() gives the digest and makes the object ready for the next message.
class Sha256 {
 public:
  Sha256();
  void update(std::string_view bytes);
  Sha256Digest finish();

 private:
  detail::DigestContext context_;
};

class Md5 {
 public:
  Md5();
  void update(std::string_view bytes);
  Md5Digest finish();

 private:
  detail::DigestContext context_;
};

Sha256Digest sha256(std::string_view bytes);
// A quarter of the time of sha256() for a text of a few hundred bytes. For what stays in here.
Blake2bDigest blake2b(std::string_view bytes);
Md5Digest md5(std::string_view bytes);
Sha256Digest hmac_sha256(const MacKey& key, std::string_view bytes);

// Same time whatever differs; lengths are not secret.
bool constant_time_equal(std::string_view a, std::string_view b);

template <std::size_t N>
std::string_view as_bytes_view(const std::array<std::uint8_t, N>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), N};
}

}  // namespace annolog::platform
