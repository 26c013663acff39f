// The HTTP server of `adatrace view` and `open`: checks access, serves the page's files, and passes requests on.
//
// It listens on 127.0.0.1 only. But other users and programs on the machine can connect, too, and so can pages of other
// sites through the user's browser. So each request needs the token in its path or query, and one Host header, which
// names this server: a site whose name was made to resolve to 127.0.0.1 has another one. A cookie can't have the token,
// because the browser would send it to every server on 127.0.0.1, whatever its port and its user.
#pragma once

#include "ada/trace/error.h"
#include "trace/base/temporary_file.h"

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace ada::cli {

struct HttpReply {
  int status = 200;
  std::string json;
};

/// Answers a request for /api/NAME. Called by any thread, and by several at a time, each within a view::StopScope.
using ApiHandler = std::function<HttpReply(const std::string &name, const std::map<std::string, std::string> &query)>;

/// A file that a page of another site may fetch, at an address with the token, and only from the page's origin.
struct SharedFile {
  std::string name;   ///< the end of the address
  std::string origin; ///< "https://ui.perfetto.dev"
  const TemporaryFile *file = nullptr;
};

class HttpServer {
public:
  struct Options {
    int port = 0;       ///< 0: any free port
    std::string assets; ///< a directory with the page's files instead of the built-in ones; for developers of the page
  };
  HttpServer(Options options, ApiHandler handler);
  /// Serves one file and nothing else. It must outlive the server.
  HttpServer(int port, SharedFile shared);
  ~HttpServer();

  /// Takes the port. Errors: E_IO if it is in use.
  Expected<void> bind();
  /// The address with the token. Call after bind().
  std::string address() const;
  /// The address of the shared file.
  std::string sharedAddress() const;
  /// Answers requests until another thread calls stop(), which ends all answers.
  void run();
  void stop();

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace ada::cli
