#include "app/beside_the_log.hpp"

namespace annolog::app {

std::vector<std::string> left_to_move(const LogPlace& /*from*/, const LogPlace& /*to*/) {
  return {
      "Not in the log, to be moved besides: the keys (folder keys) and the objects (folder "
      "objects); docs/operations.md, \"Moving a log\"."};
}

}  // namespace annolog::app
