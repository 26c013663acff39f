// A program that says what it does (ADA_SPAN and the like): requests from a queue, some of which are not in the cache.
#include <ada/trace.h>

#include <cstdio>
#include <deque>
#include <string>
#include <unordered_map>

struct Request {
  unsigned trace_id;
  std::string key;
};

class Server {
public:
  void add(Request request) {
    ADA_FLOW_BEGIN("request", request.trace_id);
    queue_.push_back(std::move(request));
    ADA_COUNTER("queue length", queue_.size());
  }
  void serveAll();

private:
  std::string lookUp(const std::string &key);
  std::deque<Request> queue_;
  std::unordered_map<std::string, std::string> cache_;
};

std::string Server::lookUp(const std::string &key) {
  std::string &value = cache_[key];
  if (value.empty()) {
    ADA_INSTANT("cache miss", key);
    value = "the value of " + key;
  }
  return value;
}

void Server::serveAll() {
  while (!queue_.empty()) {
    const Request request = std::move(queue_.front());
    queue_.pop_front();
    ADA_COUNTER("queue length", queue_.size());
    ADA_SPAN("serve", request.trace_id, request.key);
    ADA_FLOW_END("request", request.trace_id);
    std::printf("%u: %s\n", request.trace_id, lookUp(request.key).c_str());
  }
}

int main() {
  Server server;
  unsigned trace_id = 100;
  for (const char *key : {"colour", "size", "colour"})
    server.add({++trace_id, key});
  server.serveAll();
}
