// Runs a server until the user ends it, and shows it in a browser.
#pragma once

#include "view/http_server.h"

#include <memory>
#include <string>

namespace ada::cli {

/// Receives the signals that end a server: SIGINT, SIGTERM, SIGHUP. Create it before the first thread starts, so that
/// all threads block these signals. Until serve() is called, a signal ends the program as usual, even while a large
/// trace is being read. A later one ends wait(), and half a second after that the program, with status 0, whatever it
/// does then.
class ServerSignals {
public:
  ServerSignals();
  void serve() const;
  /// Waits for one of the signals.
  void wait() const;

private:
  struct State;
  std::shared_ptr<State> state_; // shared with the thread that receives the signals
};

/// Answers requests until a signal comes. Opens `address` in the user's browser if it is not empty and there is a
/// browser.
void serveUntilEnd(HttpServer &server, const ServerSignals &signals, const std::string &address);

} // namespace ada::cli
