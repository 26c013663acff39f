// Manages the connections of the viewer's server.
#include "connections.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <poll.h>
#include <set>
#include <string>
#include <string_view>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace ada::cli {

namespace {

using Clock = std::chrono::steady_clock;
constexpr size_t kMaxWaiting = 256, kThreads = 16;
constexpr std::chrono::seconds kMaxWait(5);

struct Waiting {
  int socket;
  Clock::time_point until;
};

enum class Head { Complete, Partial, Hopeless };

Head headOf(int socket, short events) {
  std::string bytes(Connections::kMaxHead, 0);
  const ssize_t n = ::recv(socket, bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT);
  if (n <= 0)
    return n < 0 && (errno == EAGAIN || errno == EINTR) ? Head::Partial : Head::Hopeless;
  if (std::string_view(bytes.data(), static_cast<size_t>(n)).find("\r\n\r\n") != std::string_view::npos)
    return Head::Complete;
  if (static_cast<size_t>(n) == bytes.size() || (events & (POLLRDHUP | POLLHUP | POLLERR)))
    return Head::Hopeless;
  const int next = static_cast<int>(n) + 1; // make poll() return only for more bytes than these
  ::setsockopt(socket, SOL_SOCKET, SO_RCVLOWAT, &next, sizeof next);
  return Head::Partial;
}

} // namespace

struct Connections::State {
  std::function<bool(int)> answer;
  int wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  std::mutex mutex;
  std::condition_variable isReady;
  std::deque<int> arrived, ready; // sockets for the watching thread, and for the answering threads
  std::set<int> answering;
  bool isEnding = false;
  std::vector<std::thread> threads;

  void add(int socket) {
    {
      const std::lock_guard lock(mutex);
      arrived.push_back(socket);
    }
    ::eventfd_write(wake, 1);
  }
  void watch() {
    std::deque<Waiting> waiting; // oldest first
    std::vector<pollfd> polled;
    for (;;) {
      polled.assign(1, {wake, POLLIN, 0});
      for (const Waiting &one : waiting)
        polled.push_back({one.socket, POLLIN | POLLRDHUP, 0});
      const auto left = waiting.empty() ? std::chrono::milliseconds(-1)
                                        : std::chrono::duration_cast<std::chrono::milliseconds>(
                                              std::max(waiting.front().until - Clock::now(), Clock::duration(0))) +
                                              std::chrono::milliseconds(1);
      ::poll(polled.data(), polled.size(), static_cast<int>(left.count()));
      std::deque<Waiting> stay;
      for (size_t i = 0; i < waiting.size(); ++i)
        look(waiting[i], polled[i + 1].revents, stay);
      waiting.swap(stay);
      eventfd_t ignored;
      ::eventfd_read(wake, &ignored);
      std::deque<int> fresh;
      {
        const std::lock_guard lock(mutex);
        fresh.swap(arrived);
        if (isEnding) {
          for (const Waiting &one : waiting)
            ::close(one.socket);
          for (const int socket : fresh)
            ::close(socket);
          return;
        }
      }
      for (const int socket : fresh) {
        look({socket, Clock::now() + kMaxWait}, POLLIN, waiting);
        if (waiting.size() > kMaxWaiting) {
          ::close(waiting.front().socket);
          waiting.pop_front();
        }
      }
    }
  }
  // Passes a connection on to an answering thread, closes it, or puts it into `stay`.
  void look(const Waiting &one, short events, std::deque<Waiting> &stay) {
    const Head head = events ? headOf(one.socket, events) : Head::Partial;
    if (head == Head::Complete) {
      const std::lock_guard lock(mutex);
      ready.push_back(one.socket);
      isReady.notify_one();
    } else if (head == Head::Hopeless || one.until <= Clock::now()) {
      ::close(one.socket);
    } else {
      stay.push_back(one);
    }
  }
  void work() {
    for (;;) {
      int socket = -1;
      {
        std::unique_lock lock(mutex);
        isReady.wait(lock, [&] { return isEnding || !ready.empty(); });
        if (isEnding)
          return;
        socket = ready.front();
        ready.pop_front();
        answering.insert(socket);
      }
      const int one = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_RCVLOWAT, &one, sizeof one);
      const bool goesOn = answer(socket);
      {
        const std::lock_guard lock(mutex);
        answering.erase(socket);
      }
      if (goesOn)
        add(socket);
      else
        ::close(socket);
    }
  }
};

bool isGone(int socket) {
  pollfd client{socket, POLLRDHUP, 0};
  return ::poll(&client, 1, 0) > 0;
}

Connections::Connections(std::function<bool(int)> answer) : state_(std::make_unique<State>()) {
  state_->answer = std::move(answer);
  state_->threads.emplace_back([state = state_.get()] { state->watch(); });
  for (size_t i = 0; i < kThreads; ++i)
    state_->threads.emplace_back([state = state_.get()] { state->work(); });
}

Connections::~Connections() {
  stop();
  ::close(state_->wake);
}

void Connections::add(int socket) { state_->add(socket); }

void Connections::stop() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->isEnding = true;
    for (const int socket : state_->answering)
      ::shutdown(socket, SHUT_RDWR); // now the client is gone for the answer
  }
  state_->isReady.notify_all();
  ::eventfd_write(state_->wake, 1);
  for (std::thread &thread : state_->threads)
    thread.join();
  state_->threads.clear();
  // What answers returned after the watching thread ended, and what nobody has answered.
  for (std::deque<int> *sockets : {&state_->arrived, &state_->ready}) {
    for (const int socket : *sockets)
      ::close(socket);
    sockets->clear();
  }
}

} // namespace ada::cli
