// Whose request it is when proxies stand before the service. Immutable after start; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/ip/address.hpp>

namespace annolog::http {

class TrustedProxies {
 public:
  TrustedProxies() = default;
  // Addresses and CIDR blocks, IPv4 or IPv6, separated by commas or blanks; throws
  // std::invalid_argument and names the part that is neither.
  explicit TrustedProxies(std::string_view list);

  bool trusts(const boost::asio::ip::address& address) const;
  // The peer; or, when it is trusted, the last address of X-Forwarded-For (all its headers joined)
  // that is not. An entry that is no address ends the walk at the hop before it.
  std::string client(const boost::asio::ip::address& peer, std::string_view forwarded_for) const;
  bool empty() const { return blocks_.empty(); }

 private:
  struct Block {
    boost::asio::ip::address_v6 network;  // IPv4 as mapped
    int prefix_bits = 128;
  };
  std::vector<Block> blocks_;
};

}  // namespace annolog::http
