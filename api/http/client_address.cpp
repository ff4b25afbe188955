#include "api/http/client_address.hpp"

#include <stdexcept>

#include "api/http/text.hpp"
#include "domain/support/number.hpp"

namespace annolog::http {
namespace {

namespace ip = boost::asio::ip;

ip::address_v6 as_v6(const ip::address& address) {
  return address.is_v6() ? address.to_v6() : ip::make_address_v6(ip::v4_mapped, address.to_v4());
}

// Mapped IPv4 is shown as IPv4.
std::string show(const ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return ip::make_address_v4(ip::v4_mapped, address.to_v6()).to_string();
  }
  return address.to_string();
}

bool same_prefix(const ip::address_v6& a, const ip::address_v6& b, int bits) {
  const auto left = a.to_bytes();
  const auto right = b.to_bytes();
  for (std::size_t i = 0; i < left.size() && bits > 0; ++i, bits -= 8) {
    const int mask = bits >= 8 ? 0xff : 0xff << (8 - bits);
    if (((left[i] ^ right[i]) & mask) != 0) return false;
  }
  return true;
}

// "1.2.3.4", "1.2.3.4:80", "2001:db8::1", "[2001:db8::1]:80"
std::optional<ip::address> parse_hop(std::string_view hop) {
  if (hop.starts_with('[')) {
    hop = hop.substr(1, hop.find(']') - 1);
  } else if (hop.find(':') == hop.rfind(':')) {
    hop = hop.substr(0, hop.find(':'));
  }
  boost::system::error_code error;
  const auto address = ip::make_address(std::string(hop), error);
  if (error) return std::nullopt;
  return address;
}

}  // namespace

TrustedProxies::TrustedProxies(std::string_view list) {
  std::string text(list);
  for (char& c : text) {
    if (c == ' ' || c == '\t') c = ',';
  }
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view entry = take_until(rest, ',');
    if (entry.empty()) continue;
    std::string_view bits_text = entry;
    const std::string_view address_text = take_until(bits_text, '/');
    boost::system::error_code error;
    const auto address = ip::make_address(std::string(address_text), error);
    const auto bits = number_from<std::uint64_t>(bits_text);
    const std::uint64_t most = !error && address.is_v4() ? 32 : 128;
    const bool has_bits = address_text.size() != entry.size();
    if (error || (has_bits && (!bits || *bits > most))) {
      throw std::invalid_argument("trusted_proxies: not an address or CIDR block: " +
                                  std::string(entry));
    }
    const int own_bits = has_bits ? static_cast<int>(*bits) : static_cast<int>(most);
    blocks_.push_back({as_v6(address), address.is_v4() ? own_bits + 96 : own_bits});
  }
}

bool TrustedProxies::trusts(const ip::address& address) const {
  if (blocks_.empty()) return false;
  const auto candidate = as_v6(address);
  for (const Block& block : blocks_) {
    if (same_prefix(block.network, candidate, block.prefix_bits)) return true;
  }
  return false;
}

std::string TrustedProxies::client(const ip::address& peer, std::string_view forwarded_for) const {
  ip::address hop = peer;
  while (trusts(hop) && !forwarded_for.empty()) {
    const std::size_t comma = forwarded_for.rfind(',');
    const std::string_view last =
        trim(comma == std::string_view::npos ? forwarded_for : forwarded_for.substr(comma + 1));
    const auto next = parse_hop(last);
    if (!next) break;
    hop = *next;
    forwarded_for = comma == std::string_view::npos ? "" : forwarded_for.substr(0, comma);
  }
  return show(hop);
}

}  // namespace annolog::http
