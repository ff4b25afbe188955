// What a check of files came to (docs/operations.md, "For an auditor").
#pragma once

namespace annolog::app {

struct Judgement {
  const char* word;  // which its last line begins with
  int exit_code;
};

constexpr int kUnchecked = 2;  // also where nothing could be looked at

constexpr Judgement judge(bool is_sound, bool is_unchecked) {
  if (!is_sound) return {"DAMAGED", 1};
  if (is_unchecked) return {"UNCHECKED", kUnchecked};
  return {"OK", 0};
}

}  // namespace annolog::app
