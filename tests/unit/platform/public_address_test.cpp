// Which addresses are anybody's: edges of every network that is not.
#include "platform/public_address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>

namespace annolog::platform::public_address_test {
namespace {

struct Case {
  const char* address;
  bool is_public;
};

constexpr Case kCases[] = {
    {"0.0.0.0", false},
    {"0.255.255.255", false},
    {"1.0.0.0", true},
    {"8.8.8.8", true},
    {"9.255.255.255", true},
    {"10.0.0.0", false},
    {"10.255.255.255", false},
    {"11.0.0.0", true},
    {"100.63.255.255", true},
    {"100.64.0.0", false},
    {"100.100.100.200", false},
    {"100.127.255.255", false},
    {"100.128.0.0", true},
    {"126.255.255.255", true},
    {"127.0.0.1", false},
    {"127.255.255.255", false},
    {"128.0.0.0", true},
    {"168.63.129.15", true},
    {"168.63.129.16", false},
    {"169.253.255.255", true},
    {"169.254.169.254", false},
    {"169.255.0.0", true},
    {"172.15.255.255", true},
    {"172.16.0.0", false},
    {"172.31.255.255", false},
    {"172.32.0.0", true},
    {"192.0.0.170", false},
    {"192.0.1.0", true},
    {"192.0.2.1", false},
    {"192.88.99.1", false},
    {"192.167.255.255", true},
    {"192.168.0.1", false},
    {"192.169.0.0", true},
    {"198.17.255.255", true},
    {"198.18.0.0", false},
    {"198.19.255.255", false},
    {"198.20.0.0", true},
    {"198.51.100.1", false},
    {"203.0.113.1", false},
    {"223.255.255.255", true},
    {"224.0.0.1", false},
    {"239.255.255.255", false},
    {"240.0.0.1", false},
    {"255.255.255.255", false},
    {"::", false},
    {"::1", false},
    {"::7f00:1", false},
    {"::ffff:127.0.0.1", false},
    {"::ffff:10.1.2.3", false},
    {"::ffff:169.254.169.254", false},
    {"::ffff:8.8.8.8", true},
    {"64:ff9b::8.8.8.8", true},
    {"64:ff9b::192.168.1.1", false},
    {"64:ff9b:1::1", false},
    {"100::1", false},
    {"1fff:ffff::1", false},
    {"2000::1", true},
    {"2001::1", false},
    {"2001:1ff:ffff::1", false},
    {"2001:200::1", true},
    {"2001:4860:4860::8888", true},
    {"2001:db8::1", false},
    {"2001:db9::1", true},
    {"2002:7f00:1::1", false},
    {"2003::1", true},
    {"3fff::1", false},
    {"3fff:1000::1", true},
    {"4000::1", false},
    {"fc00::1", false},
    {"fd00:ec2::254", false},
    {"fe80::1", false},
    {"fe80::1%lo", false},
    {"2003::1%lo", false},
    {"fec0::1", false},
    {"ff02::1", false},
};

TEST(PublicAddresses, are_all_but_those_of_this_machine_its_networks_and_nobody) {
  for (const Case& one : kCases)
    EXPECT_EQ(is_public_address(one.address), one.is_public) << one.address;
}

TEST(PublicAddresses, a_text_that_is_no_address_is_none) {
  for (const char* text : {"", "localhost", "example.org", "1.2.3", "256.1.1.1", "[::1]", "127.1",
                           "0x7f000001", "2130706433", "::1::"})
    EXPECT_EQ(is_public_address(text), std::nullopt) << text;
}

TEST(PublicAddresses, are_judged_alike_as_sockets_have_them) {
  for (const Case& one : kCases) {
    if (std::strchr(one.address, '%') != nullptr) continue;
    sockaddr_storage storage{};
    auto* const v4 = reinterpret_cast<sockaddr_in*>(&storage);
    auto* const v6 = reinterpret_cast<sockaddr_in6*>(&storage);
    if (::inet_pton(AF_INET, one.address, &v4->sin_addr) == 1) {
      storage.ss_family = AF_INET;
    } else {
      ASSERT_EQ(::inet_pton(AF_INET6, one.address, &v6->sin6_addr), 1) << one.address;
      storage.ss_family = AF_INET6;
    }
    const auto& address = *reinterpret_cast<const sockaddr*>(&storage);
    EXPECT_EQ(is_public_address(address), one.is_public) << one.address;
  }
  sockaddr_storage local{};
  local.ss_family = AF_UNIX;
  EXPECT_FALSE(is_public_address(*reinterpret_cast<const sockaddr*>(&local)));
}

}  // namespace
}  // namespace annolog::platform::public_address_test
