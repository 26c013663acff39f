// Manages the connections of the viewer's server: complete requests get a thread, all others wait together.
//
// Any user of the machine can connect and send half a request, or a byte a second. So no thread ever waits for a
// request. One thread watches all connections, whose number is limited, and passes a connection on when the head of its
// request is complete. A connection that has not sent a complete head in five seconds is closed, whatever it sends. If
// there are too many connections, a new one replaces the oldest.
#pragma once

#include <functional>
#include <memory>

namespace ada::cli {

class Connections {
public:
  static constexpr unsigned kMaxHead = 1 << 14; ///< longest head of a request, in bytes

  /// `answer(socket)` reads one request and answers it. It returns true if more requests may come on the connection.
  explicit Connections(std::function<bool(int)> answer);
  ~Connections();
  /// Takes ownership of the socket.
  void add(int socket);
  /// Closes all connections, also those that are being answered (isGone()), and waits until `answer` returns.
  void stop();

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Whether the other end has closed the connection, or only the half that it sends on: both look the same.
bool isGone(int socket);

} // namespace ada::cli
