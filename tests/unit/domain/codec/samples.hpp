// Sample values of every described type, made from its description: a new member or event has its
// sample by itself. `full` fills everything, else only what is required. Tests only.
#pragma once

#include <boost/describe.hpp>
#include <boost/mp11.hpp>

#include <array>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "domain/codec/domain_json.hpp"
#include "domain/events.hpp"

namespace annolog::testing {

class Filler {
 public:
  explicit Filler(bool full) : full_(full) {}

  template <class T>
  T make() {
    T value{};
    fill(value);
    return value;
  }

 private:
  void fill(bool& value) { value = full_; }
  void fill(std::nullptr_t&) {}
  template <class T>
    requires std::is_integral_v<T>
  void fill(T& value) {
    value = static_cast<T>(next());
  }
  void fill(double& value) { value = static_cast<double>(next()) / 64 + 0.1; }
  void fill(std::string& value) {
    value = full_ ? "text \"" + std::to_string(next()) + "\" \xC3\xA4\n" : "";
  }
  template <class Tag>
  void fill(Id<Tag>& id) {
    id.value = next();
  }
  void fill(Timestamp& at) { at.ms = 1'750'000'000'000 + next() * 1001; }
  void fill(JsonText& json) { json.text = full_ ? R"({"list":[1,2.5,null],"text":"x"})" : "{}"; }
  void fill(Point& point) {
    fill(point.x);
    fill(point.y);
  }
  template <class E>
    requires std::is_enum_v<E>
  void fill(E& value) {
    std::vector<E> all;
    codec::for_each_enumerator<E>([&](E one, std::string_view) { all.push_back(one); });
    value = full_ ? all.back() : all.front();
  }
  template <class T>
  void fill(std::optional<T>& value) {
    if (full_) fill(value.emplace());
  }
  template <class T>
  void fill(Patch<T>& value) {
    if (!full_) return;
    T inner{};
    fill(inner);
    value = Patch<T>(std::move(inner));
  }
  template <class T>
  void fill(std::vector<T>& values) {
    if (!full_) return;
    values.resize(3);
    for (auto& value : values) fill(value);
  }
  template <class V>
  void fill(std::map<std::string, V>& values) {
    if (!full_) return;
    for (int i = 0; i < 5; ++i) fill(values["key" + std::to_string(i)]);
  }
  template <class... Ts>
  void fill(std::variant<Ts...>& value) {
    const std::size_t index = full_ ? turns_[&kTurnOf<std::variant<Ts...>>]++ % sizeof...(Ts) : 0;
    boost::mp11::mp_with_index<sizeof...(Ts)>(
        index, [&](auto i) { fill(value.template emplace<decltype(i)::value>()); });
  }
  template <class T>
    requires(boost::describe::has_describe_members<T>::value)
  void fill(T& value) {
    using Members = boost::describe::describe_members<T, boost::describe::mod_public>;
    boost::mp11::mp_for_each<Members>([&](auto d) { fill(value.*d.pointer); });
  }

  std::int64_t next() { return ++number_; }

  bool full_;
  std::int64_t number_ = 0;
  template <class T>
  static constexpr char kTurnOf = 0;
  std::map<const void*, std::size_t> turns_;  // alternatives of a type take turns
};

// One sample of every event type, in the order of the catalogue.
inline std::vector<Event> sample_events(bool full) {
  std::vector<Event> events;
  boost::mp11::mp_for_each<boost::mp11::mp_iota_c<std::variant_size_v<AnyEvent>>>([&](auto i) {
    using E = std::variant_alternative_t<decltype(i)::value, AnyEvent>;
    events.emplace_back(Filler(full).make<E>());
  });
  return events;
}

}  // namespace annolog::testing
