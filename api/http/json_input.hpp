// A checked input of a request (query or body) behind one type-erased handle, so that dispatch,
// validation and handlers need no templates. Immutable after start: any thread.
#pragma once

#include <cstdlib>
#include <memory>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "domain/support/error.hpp"

namespace annolog::http {

struct Schema;

// One address a type, to tell types apart without RTTI in the hot path.
template <class T>
inline constexpr char kTypeMark = 0;

class BoundInput {
 public:
  BoundInput() = default;
  template <class T>
  static BoundInput of(std::shared_ptr<T> value) {
    BoundInput bound;
    bound.mark_ = &kTypeMark<T>;
    bound.value_ = std::move(value);
    return bound;
  }
  template <class T>
  const T& get() const {
    if (mark_ != &kTypeMark<T>) std::abort();  // the route's table names another type
    return *static_cast<const T*>(value_.get());
  }
  explicit operator bool() const { return value_ != nullptr; }

 private:
  const char* mark_ = nullptr;
  std::shared_ptr<const void> value_;
};

// What a route says of its query or JSON body; made by schema_of<T>() (schema_of.hpp).
struct InputSchema {
  std::shared_ptr<const Schema> schema;
  // Turns a document that the schema accepts into the struct; adds what the type's own check finds.
  BoundInput (*bind)(const nlohmann::json& document, std::vector<FieldError>& errors) = nullptr;

  explicit operator bool() const { return schema != nullptr; }
};

}  // namespace annolog::http
