#include "eventstore/chain.hpp"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>

namespace annolog::eventstore {
namespace {

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
struct FreeDigest {
  void operator()(EVP_MD* digest) const { EVP_MD_free(digest); }
};

void require(int ok) {
  if (ok != 1) throw std::runtime_error("SHA-256 is not available");
}

}  // namespace

struct ChainHasher::Impl {
  // Fetched once: looking the algorithm up costs more than hashing a short record.
  std::unique_ptr<EVP_MD, FreeDigest> digest{EVP_MD_fetch(nullptr, "SHA256", nullptr)};
  std::unique_ptr<EVP_MD_CTX, FreeContext> context{EVP_MD_CTX_new()};
};

ChainHasher::ChainHasher() : impl_(std::make_unique<Impl>()) {
  require(impl_->digest != nullptr && impl_->context != nullptr ? 1 : 0);
}

ChainHasher::~ChainHasher() = default;

Hash ChainHasher::sha256(std::string_view first, std::string_view second) {
  EVP_MD_CTX* context = impl_->context.get();
  Hash hash{};
  require(EVP_DigestInit_ex2(context, impl_->digest.get(), nullptr));
  require(EVP_DigestUpdate(context, first.data(), first.size()));
  require(EVP_DigestUpdate(context, second.data(), second.size()));
  require(EVP_DigestFinal_ex(context, hash.data(), nullptr));
  return hash;
}

Hash ChainHasher::genesis(ShardId shard, std::uint16_t shard_count) {
  const auto high = [](std::uint16_t v) { return static_cast<char>(v >> 8U); };
  const auto low = [](std::uint16_t v) { return static_cast<char>(v & 0xffU); };
  const std::array<char, 4> numbers{high(shard.value), low(shard.value), high(shard_count),
                                    low(shard_count)};
  return sha256("annolog log chain v1\n", {numbers.data(), numbers.size()});
}

Hash ChainHasher::next(const Hash& previous, std::string_view encoding) {
  return sha256(as_bytes(previous), encoding);
}

std::string_view as_bytes(const Hash& hash) {
  return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<std::uint8_t>(c);
    hex.push_back(kDigits[byte >> 4U]);
    hex.push_back(kDigits[byte & 0x0fU]);
  }
  return hex;
}

}  // namespace annolog::eventstore
