#include "tests/bench/sockets/crowd.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace annolog::bench {
namespace {

constexpr std::uint64_t kHttp = ~std::uint64_t{0};
constexpr std::chrono::seconds kSilence{30};
constexpr int kLookMs = 500;
constexpr std::size_t kHandshakes = 64;  // under way at once
constexpr std::size_t kHeadBytes = 4;    // of a frame

double us(Clock::duration time) { return std::chrono::duration<double, std::micro>(time).count(); }

std::string subscribe(const std::string& channel) {
  return R"({"type":"subscribe","channel":")" + channel + R"("})";
}

// What the service calls the message: the first member of that name.
std::string_view type_of(std::string_view text) {
  constexpr std::string_view kName = R"("type":")";
  const auto at = text.find(kName);
  if (at == std::string_view::npos) return {};
  const auto type = text.substr(at + kName.size());
  return type.substr(0, type.find('"'));
}

std::string boxes_text(std::size_t count) {
  std::string text = R"({"shapes":[)";
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += ',';
    text += R"({"type":"bbox","class_name":"car","geometry":{"x":0.1,"y":0.2,"width":0.3,)"
            R"("height":0.4}})";
  }
  return text + "]}";
}

}  // namespace

Crowd::Crowd(Place place)
    : place_(std::move(place)),
      target_("/ws?token=" + place_.token),
      poll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (poll_ < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
}

Crowd::~Crowd() { ::close(poll_); }

void Crowd::watch(int descriptor, std::uint64_t number) const {
  epoll_event event{.events = EPOLLIN, .data = {.u64 = number}};
  if (::epoll_ctl(poll_, EPOLL_CTL_ADD, descriptor, &event) != 0)
    throw std::system_error(errno, std::generic_category(), "epoll_ctl");
}

void Crowd::add(std::int64_t task) {
  Member member;
  member.socket = std::make_unique<Socket>(place_.host, place_.port, target_);
  member.task = task;
  watch(member.socket->descriptor(), members_.size());
  members_.push_back(std::move(member));
}

void Crowd::open(const std::vector<std::int64_t>& tasks) {
  const auto none = [] { return std::string("no handshake was answered for 30 s"); };
  for (const std::int64_t task : tasks) {
    add(task);
    wait_until([&] { return members_.size() - hands_ < kHandshakes; }, none);
  }
  wait_until([&] { return hands_ == members_.size(); }, none);
  wait_for_subscriptions();
}

void Crowd::listen(std::int64_t project, std::size_t count) {
  const std::string wish = subscribe("project:" + std::to_string(project) + ":annotation");
  listeners_ = std::min(count, members_.size());
  for (std::size_t i = 0; i < listeners_; ++i) members_[i].socket->say(wish);
  asked_ += listeners_;
  wait_for_subscriptions();
}

void Crowd::wait_for_subscriptions() {
  wait_until(
      [&] { return confirmed_ == asked_; },
      [&] { return std::to_string(asked_ - confirmed_) + " subscriptions were not confirmed"; });
}

// Pings come all the time: they are no progress.
void Crowd::wait_until(const std::function<bool()>& done,
                       const std::function<std::string()>& missing) {
  std::uint64_t reached = 0;
  auto since = Clock::now();
  while (!done()) {
    take(kLookMs);
    const std::uint64_t now = hands_ + confirmed_ + come_ + answers_;
    if (std::exchange(reached, now) != now) since = Clock::now();
    if (Clock::now() - since > kSilence) throw std::runtime_error(missing());
  }
}

void Crowd::rest(double seconds) {
  const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(seconds));
  while (Clock::now() < until) take(100);
}

Told Crowd::lock(std::size_t socket) {
  const std::string path = "/api/v1/tasks/" + std::to_string(members_.at(socket).task) + "/lock";
  const std::uint32_t before = members_[socket].locks;
  const Told told = tell(path, "", 1);
  expect_all_have(&Member::locks, socket, 1, before + 1);
  return told;
}

Told Crowd::annotate(std::size_t socket, std::size_t boxes) {
  const std::string path =
      "/api/v1/tasks/" + std::to_string(members_.at(socket).task) + "/annotations?submit=false";
  annotated_ += static_cast<std::uint32_t>(boxes);
  const Told told = tell(path, boxes_text(boxes), boxes * listeners_);
  expect_all_have(&Member::annotations, 0, listeners_, annotated_);
  return told;
}

Told Crowd::tell(const std::string& path, const std::string& body, std::uint64_t frames) {
  due_ += frames;
  std::string request = "POST " + path + " HTTP/1.1\r\nHost: " + place_.host +
                        "\r\nAuthorization: Bearer " + place_.token + "\r\n";
  if (!body.empty()) request += "Content-Type: application/json\r\n";
  request += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  if (!http_) {
    http_ = std::make_unique<Connection>(place_.host, place_.port);
    watch(http_->descriptor(), kHttp);
  }
  is_answered_ = false;
  const auto start = Clock::now();
  http_->send(request);
  wait_until([&] { return is_answered_ && come_ >= due_; },
             [&] {
               return "MISSING: " + std::to_string(due_ - come_) + " of " + std::to_string(frames) +
                      " frames did not come for 30 s" +
                      (is_answered_ ? "" : ", nor did the answer");
             });
  return {us(answered_at_ - start), us(last_at_ - start)};
}

// As many as were due have come; these are they.
void Crowd::expect_all_have(std::uint32_t Member::* kind, std::size_t first, std::size_t count,
                            std::uint32_t number) const {
  for (std::size_t i = first; i < first + count; ++i) {
    if (members_[i].*kind == number) continue;
    throw std::runtime_error("WRONG COUNT: socket " + std::to_string(i) + " has " +
                             std::to_string(members_[i].*kind) + " frames instead of " +
                             std::to_string(number));
  }
}

void Crowd::take(int wait_ms) {
  std::array<epoll_event, 256> events;
  const int n = ::epoll_wait(poll_, events.data(), events.size(), wait_ms);
  for (int i = 0; i < n; ++i) {
    const std::uint64_t number = events.at(static_cast<std::size_t>(i)).data.u64;
    if (number == kHttp) {
      take_answer();
      continue;
    }
    Member& member = members_[number];
    member.socket->proceed([&](std::string_view text) { hear(member, text); });
    if (member.has_hand || !member.socket->is_open()) continue;
    member.has_hand = true;
    ++hands_;
    member.socket->say(subscribe("task:" + std::to_string(member.task) + ":lock"));
    ++asked_;
  }
}

void Crowd::hear(Member& member, std::string_view text) {
  const std::string_view type = type_of(text);
  if (type == "ping") return member.socket->say(R"({"type":"pong"})");
  if (type == "subscribed") {
    ++confirmed_;
    return;
  }
  const bool is_lock = type == "lock";
  if (!is_lock && type != "annotation")
    throw std::runtime_error("a WebSocket says " + std::string(text.substr(0, 300)));
  ++(is_lock ? member.locks : member.annotations);
  ++come_;
  frame_bytes_ = text.size() + kHeadBytes;
  last_at_ = Clock::now();
}

void Crowd::take_answer() {
  const auto answer = http_->proceed();
  if (!answer) return;
  if (answer->status / 100 != 2) {
    throw std::runtime_error("refused: " + std::to_string(answer->status) + " " +
                             std::string(answer->body.substr(0, 500)));
  }
  answered_at_ = Clock::now();
  is_answered_ = true;
  ++answers_;
}

}  // namespace annolog::bench
