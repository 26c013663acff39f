// Four workers take jobs from a queue: factorisation, word counts, and a job that throws.
//
// What to look at in the trace: each worker is a thread with a name, jobs of one kind take very different times, and
// a failing job leaves three calls at once through an exception that Worker::run catches.
#include <ada/trace.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace jobs {

class Job {
public:
  virtual ~Job() = default;
  virtual std::string run() = 0;
};

class Factorise final : public Job {
public:
  explicit Factorise(uint64_t number) : number_(number) {}

  std::string run() override {
    std::ostringstream text;
    text << number_ << " =";
    uint64_t rest = number_;
    for (uint64_t factor = smallestFactor(rest, 2); rest > 1; factor = smallestFactor(rest, factor)) {
      text << ' ' << factor;
      rest /= factor;
    }
    return text.str();
  }

private:
  static uint64_t smallestFactor(uint64_t n, uint64_t from) {
    for (uint64_t candidate = from; candidate * candidate <= n; ++candidate)
      if (n % candidate == 0)
        return candidate;
    return n;
  }

  uint64_t number_;
};

class CountWords final : public Job {
public:
  explicit CountWords(std::string text) : text_(std::move(text)) {}

  std::string run() override {
    std::map<std::string, int> counts;
    std::istringstream words(text_);
    for (std::string word; words >> word;)
      ++counts[lowerCase(word)];
    return std::to_string(counts.size()) + " different words";
  }

private:
  static std::string lowerCase(std::string word) {
    for (char &c : word)
      c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return word;
  }

  std::string text_;
};

class ParseNumber final : public Job {
public:
  explicit ParseNumber(std::string text) : text_(std::move(text)) {}
  std::string run() override { return std::to_string(parse(text_)); }

private:
  static long parse(const std::string &text) {
    long value = 0;
    for (char c : text)
      value = value * 10 + digit(c);
    return value;
  }

  static int digit(char c) {
    if (c < '0' || c > '9')
      throw std::invalid_argument(std::string("not a digit: ") + c);
    return c - '0';
  }

  std::string text_;
};

} // namespace jobs

class Queue {
public:
  void push(std::unique_ptr<jobs::Job> job) {
    {
      std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(job));
    }
    changed_.notify_one();
  }

  void close() {
    {
      std::lock_guard lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
  }

  // Waits for the next job; null once the queue is closed and empty.
  std::unique_ptr<jobs::Job> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty())
      return nullptr;
    std::unique_ptr<jobs::Job> job = std::move(waiting_.front());
    waiting_.pop_front();
    return job;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<jobs::Job>> waiting_;
  bool closed_ = false;
};

struct Totals {
  int done = 0;
  int failed = 0;
};

class Worker {
public:
  explicit Worker(Queue &queue) : queue_(queue) {}

  void run() {
    while (std::unique_ptr<jobs::Job> job = queue_.pop()) {
      try {
        finish(job->run());
      } catch (const std::exception &error) {
        ++totals.failed;
      }
    }
  }

  Totals totals;

private:
  void finish(const std::string &result) { totals.done += !result.empty(); }

  Queue &queue_;
};

int main() {
  Queue queue;
  std::vector<Worker> workers(4, Worker(queue));
  std::vector<std::thread> threads;
  for (size_t i = 0; i < workers.size(); ++i)
    threads.emplace_back([&workers, i] {
      ada_set_thread_name(("worker " + std::to_string(i)).c_str());
      workers[i].run();
    });

  for (int i = 0; i < 40; ++i) {
    queue.push(std::make_unique<jobs::Factorise>(1'000'000'007ull * (1 + i * 977ull)));
    queue.push(std::make_unique<jobs::CountWords>("The quick brown fox jumps over the lazy dog and the Fox sleeps"));
    queue.push(std::make_unique<jobs::ParseNumber>(i % 8 ? std::to_string(i * 1234567) : "12x4"));
  }
  queue.close();

  Totals all;
  for (size_t i = 0; i < threads.size(); ++i) {
    threads[i].join();
    all.done += workers[i].totals.done;
    all.failed += workers[i].totals.failed;
  }
  std::cout << all.done << " jobs done, " << all.failed << " failed\n";
  return all.failed == 5 ? 0 : 1;
}
