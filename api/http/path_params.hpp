// The values that a path template's parameters took. Views into the request; its thread only.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace annolog::http {

class PathParams {
 public:
  static constexpr std::size_t kMax = 8;

  struct Param {
    std::string_view name;    // of the template
    std::string text;         // percent-decoded
    std::int64_t number = 0;  // for id and integer parameters
  };

  void clear() { size_ = 0; }
  Param& add() {
    assert(size_ < kMax);
    return params_[size_++];
  }
  void pop() { --size_; }
  std::size_t size() const { return size_; }
  // `names` must outlive this.
  void set_names(std::span<const std::string> names) {
    assert(names.size() == size_);
    for (std::size_t i = 0; i < size_; ++i) params_[i].name = names[i];
  }

  const Param* find(std::string_view name) const {
    for (std::size_t i = 0; i < size_; ++i) {
      if (params_[i].name == name) return &params_[i];
    }
    return nullptr;
  }
  // 0 when there is no such parameter.
  std::int64_t number(std::string_view name) const {
    const Param* param = find(name);
    return param ? param->number : 0;
  }
  std::string_view text(std::string_view name) const {
    const Param* param = find(name);
    return param ? std::string_view(param->text) : std::string_view();
  }

 private:
  std::array<Param, kMax> params_{};
  std::size_t size_ = 0;
};

}  // namespace annolog::http
