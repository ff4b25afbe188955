// Integers in network byte order, as PostgreSQL's binary formats have them.
#pragma once

#include <cstddef>
#include <string>

namespace annolog::projections {

template <class T>
void put_big_endian(char* at, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    at[i] = static_cast<char>((value >> (8 * (sizeof(T) - 1 - i))) & 0xFFU);
  }
}

template <class T>
void append_big_endian(std::string& out, T value) {
  char bytes[sizeof(T)];
  put_big_endian(bytes, value);
  out.append(bytes, sizeof(T));
}

}  // namespace annolog::projections
