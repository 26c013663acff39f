// Runs a server until the user ends it, and shows it in a browser.
#pragma once

#include "view/http_server.h"

#include <csignal>
#include <string>

namespace ada::cli {

/// Reserves the signals that end a server (SIGINT, SIGTERM, SIGHUP) for serveUntilEnd(). Create it before the first
/// thread starts, so that all threads block these signals.
class ServerSignals {
public:
  ServerSignals();
  /// Waits for one of the signals.
  void wait() const;

private:
  sigset_t signals_;
};

/// Answers requests until a signal comes. Opens `address` in the user's browser if it is not empty and there is a
/// browser.
void serveUntilEnd(HttpServer &server, const ServerSignals &signals, const std::string &address);

} // namespace ada::cli
