#include "platform/prompt_thread.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

namespace annolog::platform::prompt_thread_test {
namespace {

// What sched_getattr(2) says of the calling thread, word by word.
std::array<std::uint64_t, 6> attributes() {
  std::array<std::uint64_t, 6> words{};
  EXPECT_EQ(syscall(SYS_sched_getattr, 0, words.data(), sizeof words, 0), 0);
  return words;
}

std::uint64_t slice_ns() { return attributes()[3]; }

bool kernel_gives_slices() {
  utsname system{};
  uname(&system);
  int major = 0, minor = 0;
  EXPECT_EQ(std::sscanf(system.release, "%d.%d", &major, &minor), 2);
  return major > 6 || (major == 6 && minor >= 12);
}

template <class Run>
void on_a_prompt_thread(Run run) {
  prompt_thread("prompt", run).join();
}

TEST(PromptThread, has_the_shortest_slices) {
  if (!kernel_gives_slices()) GTEST_SKIP() << "slices of one's own came with Linux 6.12";
  on_a_prompt_thread([] { EXPECT_EQ(slice_ns(), 100'000U); });
  EXPECT_NE(slice_ns(), 100'000U) << "the thread that started it";
}

TEST(PromptThread, has_its_name) {
  on_a_prompt_thread([] {
    std::array<char, 16> name{};
    pthread_getname_np(pthread_self(), name.data(), name.size());
    EXPECT_EQ(std::string(name.data()), "prompt");
  });
}

TEST(PromptThread, is_as_nice_as_before) {
  named_thread("nice", [] {
    const auto thread = static_cast<id_t>(gettid());
    ASSERT_EQ(setpriority(PRIO_PROCESS, thread, 7), 0);
    ask_for_short_slices();
    EXPECT_EQ(getpriority(PRIO_PROCESS, thread), 7);
  }).join();
}

TEST(PromptThread, keeps_its_policy) {
  named_thread("batch", [] {
    const sched_param parameters{};
    ASSERT_EQ(sched_setscheduler(0, SCHED_BATCH, &parameters), 0);
    ask_for_short_slices();
    EXPECT_EQ(sched_getscheduler(0), SCHED_BATCH);
  }).join();
}

}  // namespace
}  // namespace annolog::platform::prompt_thread_test
