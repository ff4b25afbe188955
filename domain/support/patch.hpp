// A member of a partial update: absent (leave as is), null (clear) or a value (set). For members
// that can't be cleared use std::optional<T>, where null means absent.
#pragma once

#include <optional>
#include <utility>

namespace annolog {

template <class T>
class Patch {
 public:
  Patch() = default;
  explicit Patch(T value) : present_(true), value_(std::move(value)) {}
  explicit Patch(std::optional<T> value) : present_(true), value_(std::move(value)) {}
  static Patch null() {
    Patch patch;
    patch.present_ = true;
    return patch;
  }

  bool absent() const { return !present_; }
  bool is_null() const { return present_ && !value_; }
  bool has_value() const { return value_.has_value(); }
  explicit operator bool() const { return present_; }  // the client named this member
  const T& value() const { return *value_; }
  const std::optional<T>& as_optional() const { return value_; }  // null and absent: nullopt

  // Puts the update into `target` when there is one.
  void apply_to(std::optional<T>& target) const {
    if (present_) target = value_;
  }
  bool operator==(const Patch&) const = default;

 private:
  bool present_ = false;
  std::optional<T> value_;
};

// For the members that can't be cleared.
template <class T>
void set_if(T& target, const std::optional<T>& value) {
  if (value) target = *value;
}

// Null when nothing would change.
template <class T>
std::optional<T> if_changed(const std::optional<T>& wanted, const T& current) {
  return wanted && *wanted != current ? wanted : std::nullopt;
}

}  // namespace annolog
