// SIGINT and SIGTERM for an operator's command that ends at its next good moment. The first one is
// noted; the next one ends the process at once, for a command that hangs. One at a time, made by
// the main thread.
#pragma once

namespace annolog::app {

class StopFlag {
 public:
  StopFlag();
  StopFlag(const StopFlag&) = delete;
  StopFlag& operator=(const StopFlag&) = delete;

  bool requested() const { return signal() != 0; }
  int signal() const;  // 0: none came
};

}  // namespace annolog::app
