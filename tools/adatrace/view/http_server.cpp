// The HTTP server of `adatrace view`. Only this file includes the HTTP library, which takes long to compile.
#include "http_server.h"
#include "analysis/view/stop_scope.h"
#include "view/assets.h"
#include "view/connections.h"
#include "view/request_head.h"

#include "trace/base/file_bytes.h"
#include "trace/base/format.h"
#include "trace/base/json.h"

#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <poll.h>
#include <span>
#include <string_view>
#include <sys/random.h>
#include <sys/socket.h>
#include <thread>

namespace ada::cli {

namespace {

constexpr size_t kMaxBody = 4096; // requests have no body
// Length of the kernel's queue of connections that are not accepted yet. With the library's 5, the kernel drops packets
// in a burst of connections, and the clients wait for seconds, doubling each time.
constexpr int kBacklog = 4096;
// An answer that takes longer ends if its client has closed the connection. A client that has only closed its own half
// (`nc -N`) looks the same, and gets quick answers.
constexpr std::chrono::milliseconds kPatience(100);
constexpr const char *kHost = "127.0.0.1";
constexpr int kUsualPort = 80; // browsers leave it out of the Host header

// 128 unpredictable bits.
std::string randomToken() {
  unsigned char bytes[16];
  size_t have = 0;
  while (have < sizeof bytes) {
    const ssize_t n = ::getrandom(bytes + have, sizeof bytes - have, 0);
    if (n < 0 && errno != EINTR)
      return {};
    have += n > 0 ? static_cast<size_t>(n) : 0;
  }
  std::string text;
  for (const unsigned char byte : bytes)
    text += fmt::format("{:02x}", byte);
  return text;
}

// Compares in constant time, whatever `given` is.
bool isSame(std::string_view given, std::string_view token) {
  unsigned difference = given.size() != token.size();
  for (size_t i = 0; i < token.size(); ++i)
    difference |=
        static_cast<unsigned char>(token[i]) ^ static_cast<unsigned char>(i < given.size() ? given[i] : ~token[i]);
  return difference == 0;
}

const char *contentTypeOf(std::string_view name) {
  return name.ends_with(".html")  ? "text/html; charset=utf-8"
         : name.ends_with(".css") ? "text/css; charset=utf-8"
         : name.ends_with(".js")  ? "text/javascript; charset=utf-8"
         : name.ends_with(".svg") ? "image/svg+xml"
                                  : "text/plain; charset=utf-8";
}

// Uses a content provider, because the library would compress a plain body at its best level, which takes seconds.
void respond(httplib::Response &response, int status, std::string text, const char *type) {
  response.status = status;
  auto kept = std::make_shared<const std::string>(std::move(text));
  if (kept->empty())
    return;
  response.set_content_provider(kept->size(), type, [kept](size_t offset, size_t length, httplib::DataSink &sink) {
    return sink.write(kept->data() + offset, std::min(length, kept->size() - offset));
  });
}

// The browser keeps the part after # of the address that it asked for.
void leadTo(const std::string &place, httplib::Response &response) {
  response.set_header("Location", place);
  respond(response, 303, "<!doctype html><title>AdaTrace</title>\n", "text/html; charset=utf-8");
}

void respondError(httplib::Response &response, int status, std::string_view message) {
  JsonMembers json;
  json.text("error", message);
  respond(response, status, json.object(), "application/json");
}

// A connection whose next request has a complete head. Reads never wait; a write waits for the client for up to five
// seconds.
class SocketStream : public httplib::Stream {
public:
  explicit SocketStream(int socket) : socket_(socket) {}
  bool is_readable() const override { return true; }
  bool is_writable() const override {
    pollfd wait{socket_, POLLOUT, 0};
    return ::poll(&wait, 1, 5000) > 0;
  }
  /// Takes the head, and nothing of a request that may follow it.
  std::string_view takeHead() {
    head_.resize(Connections::kMaxHead);
    const ssize_t n = ::recv(socket_, head_.data(), head_.size(), MSG_PEEK | MSG_DONTWAIT);
    head_.resize(n > 0 ? static_cast<size_t>(n) : 0);
    const size_t end = head_.find("\r\n\r\n");
    head_.resize(end == head_.npos ? 0 : end + 4);
    if (!head_.empty() && ::recv(socket_, head_.data(), head_.size(), MSG_DONTWAIT) < 0)
      head_.clear();
    return head_;
  }
  ssize_t read(char *bytes, size_t size) override {
    const size_t n = std::min(size, head_.size() - at_);
    std::memcpy(bytes, head_.data() + at_, n);
    at_ += n;
    return n > 0 ? static_cast<ssize_t>(n) : -1;
  }
  ssize_t write(const char *bytes, size_t size) override {
    return is_writable() ? ::send(socket_, bytes, size, MSG_NOSIGNAL) : -1;
  }
  void get_remote_ip_and_port(std::string &, int &) const override {}
  void get_local_ip_and_port(std::string &, int &) const override {}
  socket_t socket() const override { return socket_; }

private:
  int socket_;
  std::string head_;
  size_t at_ = 0;
};

// The library's server gives each connection a thread for as long as it is open. This one gives a thread only to each
// request.
class RequestServer : public httplib::Server {
public:
  RequestServer() {
    // The library passes a connection as a task, which calls process_and_close_socket(); it is run at once.
    struct Queue : httplib::TaskQueue {
      RequestServer &server;
      explicit Queue(RequestServer &owner) : server(owner) {}
      void enqueue(std::function<void()> task) override { task(); }
      void shutdown() override { server.connections_.reset(); }
    };
    new_task_queue = [this] {
      connections_.emplace([this](int socket) { return answerOne(socket); });
      return new Queue(*this);
    };
  }

private:
  bool process_and_close_socket(socket_t socket) override {
    connections_->add(socket);
    return true;
  }
  bool answerOne(int socket) {
    SocketStream stream(socket);
    const std::string_view head = stream.takeHead();
    if (head.empty())
      return false;
    if (const std::string problem = problemOfHead(head); !problem.empty()) {
      reject(stream, problem);
      return false;
    }
    const auto patience = std::chrono::steady_clock::now() + kPatience;
    const view::StopScope stop([&] { return std::chrono::steady_clock::now() > patience && isGone(socket); });
    bool isClosed = false;
    return process_request(stream, /*close_connection=*/false, isClosed, nullptr) && !isClosed;
  }
  static void reject(SocketStream &stream, std::string_view problem) {
    JsonMembers json;
    json.text("error", problem);
    const std::string body = json.object();
    const std::string answer = fmt::format("HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\n"
                                           "Content-Length: {}\r\nConnection: close\r\n\r\n{}",
                                           body.size(), body);
    stream.write(answer.data(), answer.size());
  }
  std::optional<Connections> connections_;
};

} // namespace

struct HttpServer::State {
  Options options;
  ApiHandler handler;
  SharedFile shared = {};
  std::string token = randomToken();
  int port = 0, socket = -1;
  std::atomic<bool> hasEnded = false;
  RequestServer server;

  void answer(const httplib::Request &request, httplib::Response &response);
  void answerFile(std::string name, httplib::Response &response) const;
  void answerShared(const httplib::Request &request, httplib::Response &response) const;
  bool isHost(const std::string &host) const {
    for (const std::string_view name : {kHost, "localhost"})
      if (host == fmt::format("{}:{}", name, port) || (port == kUsualPort && host == name))
        return true;
    return false;
  }
};

void HttpServer::State::answerFile(std::string name, httplib::Response &response) const {
  if (name.empty())
    name = "index.html";
  const bool isPlain = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  });
  if (isPlain && !options.assets.empty()) {
    if (const auto file = name.starts_with('.') ? Error() : FileBytes::open(options.assets + "/" + name)) {
      const auto bytes = file->bytes();
      return respond(response, 200, {reinterpret_cast<const char *>(bytes.data()), bytes.size()}, contentTypeOf(name));
    }
  } else if (isPlain) {
    for (const auto &[known, text] : view_assets::files)
      if (name == known)
        return respond(response, 200, std::string(text), contentTypeOf(name));
  }
  respondError(response, 404, "there is no such page; the viewer is at /");
}

// The page first asks for permission (CORS; Chromium also asks whether it may access private addresses).
void HttpServer::State::answerShared(const httplib::Request &request, httplib::Response &response) const {
  if (!isSame(request.path, fmt::format("/{}/{}", token, shared.name)))
    return respondError(response, 404, "there is no such file; use the address that `adatrace open` printed");
  response.set_header("Access-Control-Allow-Origin", shared.origin);
  response.set_header("Access-Control-Allow-Private-Network", "true");
  response.set_header("Vary", "Origin");
  if (request.method == "OPTIONS") {
    response.set_header("Access-Control-Allow-Methods", "GET, HEAD");
    response.set_header("Access-Control-Allow-Headers", "*");
    response.status = 204;
    return;
  }
  if (request.method != "GET" && request.method != "HEAD")
    return respondError(response, 405, "only GET is supported");
  response.status = 200;
  response.set_content_provider(shared.file->size(), "application/octet-stream",
                                [file = shared.file](size_t offset, size_t length, httplib::DataSink &sink) {
                                  constexpr size_t kPiece = 1 << 20;
                                  std::string piece(std::min(length, kPiece), 0);
                                  return file->read(offset, std::as_writable_bytes(std::span(piece))) &&
                                         sink.write(piece.data(), piece.size());
                                });
}

void HttpServer::State::answer(const httplib::Request &request, httplib::Response &response) {
  response.set_header("Content-Security-Policy",
                      "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  response.set_header("X-Content-Type-Options", "nosniff");
  response.set_header("Cross-Origin-Opener-Policy", "same-origin");
  response.set_header("Referrer-Policy", "no-referrer");
  response.set_header("Cache-Control", "no-store");
  if (!isHost(request.get_header_value("Host")))
    return respondError(response, 403,
                        fmt::format("the Host header names another server; use the address that `adatrace view` "
                                    "printed (http://{}:{}/?token=…)",
                                    kHost, port));
  if (shared.file)
    return answerShared(request, response);
  if (request.method != "GET" && request.method != "HEAD") {
    return respondError(response, 405, "only GET is supported");
  }
  // "/TOKEN/name" for the page, whose links are relative, or "/name?token=TOKEN".
  std::string_view path = request.path;
  if (isSame(path.substr(0, token.size() + 2), fmt::format("/{}/", token)))
    path.remove_prefix(token.size() + 2);
  else if (!isSame(request.get_param_value("token"), token))
    return respondError(response, 401,
                        "the token is missing or wrong; use the address that `adatrace view` printed, with its token");
  else if (path.starts_with("/api/"))
    path.remove_prefix(1);
  else
    return leadTo(fmt::format("/{}/", token), response);
  if (!path.starts_with("api/"))
    return answerFile(std::string(path), response);
  std::map<std::string, std::string> query;
  for (const auto &[name, value] : request.params)
    query.try_emplace(name, value);
  HttpReply result = handler(std::string(path.substr(4)), query);
  respond(response, result.status, std::move(result.json), "application/json");
}

HttpServer::HttpServer(Options options, ApiHandler handler) : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
  state_->handler = std::move(handler);
  httplib::Server &server = state_->server;
  server.set_payload_max_length(kMaxBody);
  server.set_tcp_nodelay(true);
  server.set_keep_alive_max_count(100'000);
  server.set_keep_alive_timeout(2);
  // The library's default options would let two servers share a port.
  server.set_socket_options([this](socket_t socket) {
    state_->socket = socket;
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  server.set_pre_routing_handler([this](const httplib::Request &request, httplib::Response &response) {
    state_->answer(request, response);
    return httplib::Server::HandlerResponse::Handled;
  });
  server.set_exception_handler([](const httplib::Request &, httplib::Response &response, const std::exception_ptr &) {
    respondError(response, 500, "there is not enough memory for the answer; ask for less");
  });
}

HttpServer::HttpServer(int port, SharedFile shared) : HttpServer({.port = port, .assets = {}}, nullptr) {
  state_->shared = std::move(shared);
}

HttpServer::~HttpServer() = default;

Expected<void> HttpServer::bind() {
  State &state = *state_;
  if (state.token.empty())
    return Error{.code = "E_IO", .message = std::string("can't get random numbers: ") + std::strerror(errno)};
  errno = 0;
  if (state.options.port == 0)
    state.port = std::max(state.server.bind_to_any_port(kHost), 0);
  else if (state.server.bind_to_port(kHost, state.options.port))
    state.port = state.options.port;
  if (state.port > 0) {
    ::listen(state.socket, kBacklog); // again, because the compiled library has a fixed number
    return {};
  }
  const std::string reason = errno ? std::string(": ") + std::strerror(errno) : std::string();
  return Error{.code = "E_IO",
               .message = fmt::format(
                   "port {} of {} can't be used{}; choose another with --port, or omit --port to use any free port",
                   state.options.port, kHost, reason)};
}

std::string HttpServer::address() const {
  return fmt::format("http://{}:{}/?token={}", kHost, state_->port, state_->token);
}

std::string HttpServer::sharedAddress() const {
  return fmt::format("http://{}:{}/{}/{}", kHost, state_->port, state_->token, state_->shared.name);
}

void HttpServer::run() {
  state_->server.listen_after_bind();
  state_->hasEnded = true;
}

void HttpServer::stop() {
  // A server that does not run yet can't be stopped.
  while (!state_->hasEnded && !state_->server.is_running())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  state_->server.stop();
}

} // namespace ada::cli
