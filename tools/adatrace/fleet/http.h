// One HTTP request at a time, by libcurl.
#ifndef ADATRACE_FLEET_HTTP_H
#define ADATRACE_FLEET_HTTP_H

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ada::cli {

struct HttpRequest {
  std::string url;
  std::vector<std::string> headers; ///< "Name: value"
  std::string_view body;
  size_t mostAnswerBytes = 64 << 20; ///< of longer answers there is nothing
  long mostSeconds = 900;            ///< until the whole answer is there: inserts and sums can be long
};

struct HttpAnswer {
  /// 0: there is no answer, and `problem` says why. The server may have got the request all the same.
  int status = 0;
  std::string body, problem;
  bool wasInterrupted = false;
  bool isUntrusted = false; ///< there is a server, but its certificate is not one that we trust
};

/// Whether adatrace was built with libcurl. Without it no request gets an answer.
bool canSendRequests();

/// Sends a POST request, once: libcurl would by itself repeat one that got no answer on a connection that was used
/// before, so each request has a connection of its own. Certificates are verified, by the system's authorities or those
/// of the file that CURL_CA_BUNDLE or SSL_CERT_FILE names; redirections are not followed.
/// `isInterrupted` is asked now and then.
HttpAnswer post(const HttpRequest &request, const std::function<bool()> &isInterrupted);

} // namespace ada::cli
#endif // ADATRACE_FLEET_HTTP_H
