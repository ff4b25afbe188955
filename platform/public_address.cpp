#include "platform/public_address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>

namespace annolog::platform {
namespace {

using Bytes4 = std::array<std::uint8_t, 4>;
using Bytes16 = std::array<std::uint8_t, 16>;

template <std::size_t N>
struct Network {
  std::array<std::uint8_t, N> base;
  unsigned bits;
};

constexpr Network<4> kNotPublic4[] = {
    {{0, 0, 0, 0}, 8},         // this network, unspecified
    {{10, 0, 0, 0}, 8},        // private
    {{100, 64, 0, 0}, 10},     // shared by a carrier's customers; some clouds' metadata
    {{127, 0, 0, 0}, 8},       // loopback
    {{168, 63, 129, 16}, 32},  // a cloud's own services
    {{169, 254, 0, 0}, 16},    // link-local; clouds' metadata
    {{172, 16, 0, 0}, 12},     // private
    {{192, 0, 0, 0}, 24},      // protocol assignments
    {{192, 0, 2, 0}, 24},      // documentation
    {{192, 88, 99, 0}, 24},    // 6to4 relays
    {{192, 168, 0, 0}, 16},    // private
    {{198, 18, 0, 0}, 15},     // benchmarks
    {{198, 51, 100, 0}, 24},   // documentation
    {{203, 0, 113, 0}, 24},    // documentation
    {{224, 0, 0, 0}, 4},       // multicast
    {{240, 0, 0, 0}, 4},       // reserved, broadcast
};

// Of IPv6 only global unicast is anybody's, without these.
constexpr Network<16> kGlobal6{{0x20}, 3};
constexpr Network<16> kNotPublic6[] = {
    {{0x20, 0x01}, 23},              // protocol assignments, Teredo
    {{0x20, 0x01, 0x0d, 0xb8}, 32},  // documentation
    {{0x20, 0x02}, 16},              // 6to4
    {{0x3f, 0xff}, 20},              // documentation
};
// The IPv4 address in their last bytes counts.
constexpr Network<16> kWithIpv4[] = {
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96},  // mapped
    {{0x00, 0x64, 0xff, 0x9b}, 96},                    // translated
};

template <std::size_t N>
bool lies_in(const std::array<std::uint8_t, N>& address, const Network<N>& network) {
  for (unsigned bit = 0; bit < network.bits; bit += 8) {
    const unsigned left = network.bits - bit;
    const auto mask = left >= 8 ? 0xFFU : (0xFF00U >> left) & 0xFFU;
    if (((address[bit / 8] ^ network.base[bit / 8]) & mask) != 0) return false;
  }
  return true;
}

bool is_public(const Bytes4& address) {
  return std::ranges::none_of(kNotPublic4,
                              [&](const Network<4>& network) { return lies_in(address, network); });
}

bool is_public(const Bytes16& address) {
  const auto in = [&](const Network<16>& network) { return lies_in(address, network); };
  if (std::ranges::any_of(kWithIpv4, in)) {
    Bytes4 last{};
    std::copy(address.end() - 4, address.end(), last.begin());
    return is_public(last);
  }
  return in(kGlobal6) && std::ranges::none_of(kNotPublic6, in);
}

template <class Address, std::size_t N>
std::array<std::uint8_t, N> address_bytes(const Address& address) {
  static_assert(sizeof(Address) == N);
  std::array<std::uint8_t, N> bytes{};
  std::memcpy(bytes.data(), &address, N);
  return bytes;
}

}  // namespace

bool is_public_address(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in found{};
    std::memcpy(&found, &address, sizeof(found));
    return is_public(address_bytes<in_addr, 4>(found.sin_addr));
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 found{};
    std::memcpy(&found, &address, sizeof(found));
    return is_public(address_bytes<in6_addr, 16>(found.sin6_addr));
  }
  return false;
}

std::optional<bool> is_public_address(std::string_view text) {
  const std::size_t zone = text.find('%');
  const std::string plain(text.substr(0, zone));
  in_addr v4{};
  if (::inet_pton(AF_INET, plain.c_str(), &v4) == 1)
    return is_public(address_bytes<in_addr, 4>(v4));
  in6_addr v6{};
  if (::inet_pton(AF_INET6, plain.c_str(), &v6) != 1) return std::nullopt;
  return zone == std::string_view::npos && is_public(address_bytes<in6_addr, 16>(v6));
}

}  // namespace annolog::platform
