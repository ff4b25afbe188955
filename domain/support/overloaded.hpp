// std::visit with one lambda an alternative.
#pragma once

namespace annolog {

template <class... Ts>
struct overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
overloaded(Ts...) -> overloaded<Ts...>;

}  // namespace annolog
