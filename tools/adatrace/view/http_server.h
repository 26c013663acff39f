// The HTTP side of `adatrace view`: who may ask, files of the page, and requests handed on.
//
// It listens on 127.0.0.1 only. Other users and programs of the machine can connect, too, and so can pages of other
// sites through the user's browser. So each request needs the token that the address has (or the cookie that the first
// page sets), and a Host header that names this server: a site whose name was made to mean 127.0.0.1 has another one.
#ifndef ADATRACE_VIEW_HTTP_SERVER_H
#define ADATRACE_VIEW_HTTP_SERVER_H

#include "ada/trace/error.h"

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace ada::cli {

struct HttpAnswer {
  int status = 200;
  std::string json;
};

/// Answers a request for /api/NAME. Any thread, several at a time.
using ApiHandler = std::function<HttpAnswer(const std::string &name, const std::map<std::string, std::string> &query)>;

class HttpServer {
public:
  struct Options {
    int port = 0;       ///< 0: any that is free
    std::string assets; ///< a directory with the page's files instead of those built in; for developers of the page
  };
  HttpServer(Options options, ApiHandler handler);
  ~HttpServer();

  /// Takes the port. E_IO if somebody else has it.
  Expected<void> bind();
  /// With the token. After bind().
  std::string address() const;
  /// Answers requests until stop() is called, by another thread.
  void run();
  void stop();

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace ada::cli
#endif // ADATRACE_VIEW_HTTP_SERVER_H
