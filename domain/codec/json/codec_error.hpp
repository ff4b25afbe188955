// Thrown when stored or own JSON is not what its type says: a broken environment or a bug, never a
// client's mistake (those are checked by the schemas of the HTTP layer).
#pragma once

#include <stdexcept>
#include <string>

namespace annolog::codec {

class CodecError : public std::runtime_error {
 public:
  CodecError(std::string path, const std::string& what)
      : std::runtime_error((path.empty() ? "JSON" : "JSON at " + path) + ": " + what),
        path_(std::move(path)) {}
  const std::string& path() const { return path_; }  // e.g. shapes[0].geometry.x

 private:
  std::string path_;
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
  [[noreturn]] void fail(const std::string& what) const { throw CodecError(text(), what); }
};

}  // namespace annolog::codec
