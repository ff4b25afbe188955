#include "tests/bench/load/runner.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <system_error>

#include "tests/bench/load/connection.hpp"

namespace annolog::bench {
namespace {

constexpr auto kSilence = std::chrono::seconds(30);

// The first "id" of a JSON answer; 0 without one.
std::int64_t first_id(std::string_view body) {
  constexpr std::string_view kName = "\"id\":";
  const auto at = body.find(kName);
  if (at == std::string_view::npos) return 0;
  std::int64_t id = 0;
  std::from_chars(body.data() + at + kName.size(), body.data() + body.size(), id);
  return id;
}

void replace(std::string& text, std::string_view what, std::int64_t by) {
  const auto at = text.find(what);
  if (at != std::string::npos) text.replace(at, what.size(), std::to_string(by));
}

class Worker {
 public:
  Worker(const Plan& plan, std::size_t number)
      : connection(plan.host, plan.port),
        credentials_("Authorization: Bearer " + plan.tokens[number % plan.tokens.size()] +
                     "\r\nHost: " + plan.host + "\r\n"),
        turn_(number) {}

  void send(const Step& wish, std::int64_t got) {
    std::string path = wish.path;
    replace(path, "{id}", id);
    replace(path, "{got}", got);
    request_ = wish.method + " " + path + " HTTP/1.1\r\n" + credentials_;
    if (wish.bodies.empty()) {
      request_ += wish.method == "GET" ? "\r\n" : "Content-Length: 0\r\n\r\n";
    } else {
      const auto& body = wish.bodies[turn_++ % wish.bodies.size()];
      request_ +=
          "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
          "\r\n\r\n" + body;
    }
    began = Clock::now();
    connection.send(request_);
  }

  Connection connection;
  Clock::time_point began;
  std::int64_t id = 0;
  std::size_t step = 0;
  bool busy = false;
  bool ended = false;

 private:
  std::string credentials_;
  std::string request_;
  std::size_t turn_;
};

class Runner {
 public:
  Runner(const Plan& plan, Ids& ids) : plan_(plan), ids_(ids), poll_(epoll_create1(EPOLL_CLOEXEC)) {
    if (poll_ < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
    figures_.steps.resize(plan.steps.size());
    figures_.window_s = plan.window_s;
    if (!plan.taken_file.empty()) taken_.open(plan.taken_file);
    needs_id_ = std::any_of(plan.steps.begin(), plan.steps.end(), [](const Step& step) {
      return step.path.find("{id}") != std::string::npos;
    });
    needs_got_ = std::any_of(plan.steps.begin(), plan.steps.end(), [](const Step& step) {
      return step.path.find("{got}") != std::string::npos;
    });
    for (std::size_t i = 0; i < plan.connections; ++i) {
      workers_.push_back(std::make_unique<Worker>(plan, i));
      watch(*workers_.back(), EPOLLIN, EPOLL_CTL_ADD);
    }
  }
  ~Runner() { ::close(poll_); }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  Figures go() {
    start_ = last_answer_ = Clock::now();
    for (;;) {
      begin_rounds();
      if (busy_ == 0 && (used_up() || all_ended())) break;
      wait();
    }
    figures_.seconds = std::chrono::duration<double>(last_answer_ - start_).count();
    return std::move(figures_);
  }

 private:
  double elapsed_s() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  bool used_up() const {
    return (plan_.rounds > 0 && begun_ >= plan_.rounds) || no_more_ids_ ||
           (plan_.seconds > 0 && elapsed_s() >= plan_.seconds);
  }
  bool all_ended() const {
    return std::all_of(workers_.begin(), workers_.end(), [](const auto& w) { return w->ended; });
  }
  // A paced round begins at its own time, whatever the answers before it did.
  double due_s() const { return static_cast<double>(begun_) / plan_.rounds_per_s; }

  void begin_rounds() {
    for (auto& worker : workers_) {
      if (worker->busy || worker->ended) continue;
      if (used_up()) return;
      if (plan_.rounds_per_s > 0) {
        const double behind_s = elapsed_s() - due_s();
        if (behind_s < 0) return;
        if (behind_s > 0.001) ++figures_.late;
      }
      begin_round(*worker);
    }
  }

  void begin_round(Worker& worker) {
    if (needs_id_) {
      const auto id = ids_.next();
      no_more_ids_ = !id.has_value();
      if (no_more_ids_) return;
      worker.id = *id;
    }
    ++begun_;
    ++busy_;
    worker.busy = true;
    worker.step = 0;
    send(worker, 0);
  }

  void send(Worker& worker, std::int64_t got) {
    worker.send(plan_.steps[worker.step], got);
    if (worker.connection.wants_to_write()) watch(worker, EPOLLIN | EPOLLOUT);
  }

  void watch(Worker& worker, std::uint32_t events, int how = EPOLL_CTL_MOD) const {
    epoll_event event{.events = events, .data = {.ptr = &worker}};
    epoll_ctl(poll_, how, worker.connection.descriptor(), &event);
  }

  void reopen(Worker& worker) const {
    worker.connection.reopen();
    watch(worker, EPOLLIN, EPOLL_CTL_ADD);
  }

  void wait() {
    std::array<epoll_event, 64> events;
    const int wait_ms = plan_.rounds_per_s > 0 ? 1 : 1000;
    const int n = epoll_wait(poll_, events.data(), events.size(), wait_ms);
    for (int i = 0; i < n; ++i) {
      auto& worker = *static_cast<Worker*>(events.at(static_cast<std::size_t>(i)).data.ptr);
      const bool wrote = (events.at(static_cast<std::size_t>(i)).events & EPOLLOUT) != 0;
      if (const auto answer = worker.connection.proceed()) take(worker, *answer);
      if (wrote && !worker.connection.wants_to_write()) watch(worker, EPOLLIN);
    }
    if (busy_ > 0 && Clock::now() - last_answer_ > kSilence) {
      throw std::runtime_error("no answer for 30 s");
    }
  }

  void take(Worker& worker, const Answer& answer) {
    last_answer_ = Clock::now();
    if (answer.is_last) reopen(worker);
    auto& figures = figures_.steps[worker.step];
    const auto took =
        std::chrono::duration_cast<std::chrono::microseconds>(last_answer_ - worker.began);
    figures.latencies_us.push_back(static_cast<std::uint32_t>(took.count()));
    ++figures.statuses[answer.status];
    const bool good = answer.status / 100 == 2;
    if (!good && figures_.first_refusal.empty()) {
      figures_.first_refusal =
          std::to_string(answer.status) + " " + std::string(answer.body.substr(0, 500));
    }
    const std::int64_t got = first_id(answer.body);
    if (good && worker.step == 0 && taken_.is_open() && got != 0) taken_ << got << '\n';
    const bool more = worker.step + 1 < plan_.steps.size();
    const bool nothing = more && needs_got_ && answer.status == 204;
    if (nothing) worker.ended = true;
    if (more && good && !nothing) {
      ++worker.step;
      send(worker, got);
      return;
    }
    worker.busy = false;
    --busy_;
    if (good && !worker.ended) count_round();
  }

  void count_round() {
    ++figures_.rounds;
    const auto window = static_cast<std::size_t>(elapsed_s() / plan_.window_s);
    if (figures_.windows.size() <= window) figures_.windows.resize(window + 1);
    ++figures_.windows[window];
  }

  const Plan& plan_;
  Ids& ids_;
  int poll_;
  Figures figures_;
  std::ofstream taken_;
  std::vector<std::unique_ptr<Worker>> workers_;
  bool needs_id_ = false;
  bool needs_got_ = false;
  bool no_more_ids_ = false;
  std::uint64_t begun_ = 0;
  std::size_t busy_ = 0;
  Clock::time_point start_;
  Clock::time_point last_answer_;
};

}  // namespace

Figures run(const Plan& plan, Ids& ids) { return Runner(plan, ids).go(); }

}  // namespace annolog::bench
