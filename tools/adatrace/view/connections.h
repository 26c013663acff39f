// Connections of the viewer's server: requests that are complete get a thread, all others wait together.
//
// Any user of the machine can connect, send half a request and leave it at that, or add a byte a second. So no thread
// ever waits for a request: one thread watches all connections, a limited number, and hands on a connection whose
// request's head is complete. A connection that has not sent one in five seconds is closed, whatever it sends; and
// where there are too many, a new one takes the place of the oldest.
#ifndef ADATRACE_VIEW_CONNECTIONS_H
#define ADATRACE_VIEW_CONNECTIONS_H

#include <functional>
#include <memory>

namespace ada::cli {

class Connections {
public:
  static constexpr unsigned kMostHead = 1 << 14; ///< bytes of a request's head

  /// `answer(socket)` reads one request and answers it. True: more may come on the connection.
  explicit Connections(std::function<bool(int)> answer);
  ~Connections();
  /// Owns the socket from now on.
  void add(int socket);
  /// Closes all connections, and waits for answers that are being made.
  void stop();

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace ada::cli
#endif // ADATRACE_VIEW_CONNECTIONS_H
