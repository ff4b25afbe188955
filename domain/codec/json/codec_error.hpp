// Thrown when stored or own JSON is not what its type says: a broken environment or a bug, never a
// client's mistake (those are checked by the schemas of the HTTP layer).
#pragma once

#include <stdexcept>
#include <string>

#include "domain/support/error.hpp"

namespace annolog::codec {

class CodecError : public std::runtime_error {
 public:
  CodecError(std::string path, const std::string& what, Location location = {})
      : std::runtime_error((path.empty() ? "JSON" : "JSON at " + path) + ": " + what),
        path_(std::move(path)),
        location_(std::move(location)) {}
  const std::string& path() const { return path_; }       // e.g. shapes[0].geometry.x
  const Location& location() const { return location_; }  // the same, part by part

 private:
  std::string path_;
  Location location_;
};

// Where a reader stands; a chain of frames on the stack, turned into text only on an error.
struct JsonPath {
  const JsonPath* parent = nullptr;
  const char* member = nullptr;  // set: a member
  std::size_t index = 0;         // else an array element

  std::string text() const {
    if (parent == nullptr) return {};
    std::string outer = parent->text();
    if (member == nullptr) return outer + "[" + std::to_string(index) + "]";
    return outer.empty() ? member : outer + "." + member;
  }
  Location location() const {
    if (parent == nullptr) return {};
    Location outer = parent->location();
    if (member == nullptr) {
      outer.emplace_back(static_cast<std::int64_t>(index));
    } else {
      outer.emplace_back(std::string(member));
    }
    return outer;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw CodecError(text(), what, location());
  }
};

}  // namespace annolog::codec
