// Enumerators as the words that stand in the database: their C++ names, whatever the API calls
// them. An unknown word throws std::runtime_error: the rows are not ours. Any thread.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <boost/describe/enumerators.hpp>
#include <boost/mp11/algorithm.hpp>

namespace annolog::projections {

template <class E>
constexpr std::string_view word_of(E value) {
  std::string_view word;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<E>>([&](auto d) {
    if (d.value == value) word = d.name;
  });
  return word;
}

template <class E>
E from_word(std::string_view word) {
  bool found = false;
  E value{};
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<E>>([&](auto d) {
    if (word != d.name) return;
    value = d.value;
    found = true;
  });
  if (!found) throw std::runtime_error("unknown word in a read model: " + std::string(word));
  return value;
}

}  // namespace annolog::projections
