// The binary form of the shard state; the first byte chooses the type. Bytes are one whole value or
// a BinaryError, and a value has one form.
#include "domain/codec/binary.hpp"
#include "domain/dataset/state.hpp"
#include "domain/events.hpp"
#include "domain/project/state.hpp"
#include "domain/task/state.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace annolog::fuzz {
namespace {

template <class T>
void check(std::string_view bytes) {
  std::string written;
  try {
    written = codec::to_binary(codec::from_binary<T>(bytes));
  } catch (const codec::BinaryError&) {
    return;
  }
  require(written.size() <= bytes.size(), "its own form is never the longer one");
  require(codec::to_binary(codec::from_binary<T>(written)) == written, "a value has one form");
}

}  // namespace

void try_input(std::string_view input) {
  if (input.empty()) return;
  const std::string_view bytes = input.substr(1);
  switch (input.front()) {
    case 'T': return check<TaskState>(bytes);
    case 'A': return check<AnnotationState>(bytes);
    case 'I': return check<ItemState>(bytes);
    case 'P': return check<ProjectState>(bytes);
    default: return check<Event>(bytes);
  }
}

}  // namespace annolog::fuzz
