// What the alternatives of a variant are called between processes: CreateUser is "create_user".
// The names follow from the types, so a type that is renamed is another one to nodes that still
// run the last version. Pure; any thread.
#pragma once

#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <variant>

#include <boost/core/type_name.hpp>

namespace annolog::commands {

template <class T>
std::string wire_name() {
  std::string type = boost::core::type_name<T>();
  type.erase(0, type.rfind(':') + 1);
  std::string name;
  for (const char c : type) {
    if (std::isupper(static_cast<unsigned char>(c)) != 0) {
      if (!name.empty()) name += '_';
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else {
      name += c;
    }
  }
  return name;
}

template <class V>
struct WireNames;

template <class... Ts>
struct WireNames<std::variant<Ts...>> {
  static const std::array<std::string, sizeof...(Ts)>& all() {
    static const std::array<std::string, sizeof...(Ts)> names{wire_name<Ts>()...};
    return names;
  }
};

}  // namespace annolog::commands
