// Sends HTTP requests, one at a time, with libcurl.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ada::cli {

struct HttpRequest {
  std::string url;
  std::vector<std::string> headers; ///< "Name: value"
  std::string_view body;
  size_t mostAnswerBytes = 64 << 20; ///< longer answers are discarded
  long mostSeconds = 900;            ///< for the whole answer; inserts and sums can take long
};

struct HttpAnswer {
  /// 0: there is no answer, and `problem` says why. The server may have received the request nevertheless.
  int status = 0;
  std::string body, problem;
  bool wasInterrupted = false;
  bool isUntrusted = false; ///< there is a server, but its certificate is not trusted
};

/// Why no request can be sent: adatrace was built without libcurl, or libcurl is not installed. Empty if requests can
/// be sent. The first call loads libcurl.
std::string whyNoRequests();

/// Sends a POST request exactly once; whyNoRequests() must be empty. Each request uses its own connection, because
/// libcurl would repeat a request that got no answer on a reused connection. Certificates are verified against the
/// system's authorities, or those in the file that CURL_CA_BUNDLE or SSL_CERT_FILE names. Redirects are not followed.
/// `isInterrupted` is called now and then.
HttpAnswer post(const HttpRequest &request, const std::function<bool()> &isInterrupted);

} // namespace ada::cli
