// Sends HTTP requests, one at a time, with libcurl.
#include "http.h"

#ifdef ADA_CURL
#include <curl/curl.h>

#include <cstdlib>

#include <memory>
#endif

namespace ada::cli {

#ifdef ADA_CURL

namespace {

constexpr long kConnectSeconds = 10;

struct Answering {
  HttpAnswer answer;
  size_t mostBytes;
  const std::function<bool()> &isInterrupted;
};

size_t takeBytes(char *bytes, size_t, size_t size, void *context) {
  auto &[answer, mostBytes, isInterrupted] = *static_cast<Answering *>(context);
  if (answer.body.size() + size > mostBytes)
    return 0;
  answer.body.append(bytes, size);
  return size;
}

int askInterrupted(void *context, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<Answering *>(context)->isInterrupted();
}

} // namespace

bool canSendRequests() { return true; }

HttpAnswer post(const HttpRequest &request, const std::function<bool()> &isInterrupted) {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  const std::unique_ptr<CURL, void (*)(CURL *)> handle(ready == CURLE_OK ? curl_easy_init() : nullptr,
                                                       curl_easy_cleanup);
  Answering answering{{}, request.mostAnswerBytes, isInterrupted};
  if (!handle) {
    answering.answer.problem = "libcurl can't be initialised";
    return answering.answer;
  }
  std::unique_ptr<curl_slist, void (*)(curl_slist *)> headers(nullptr, curl_slist_free_all);
  const auto addHeader = [&](const char *line) {
    curl_slist *const before = headers.release(); // the list may have another first element then
    curl_slist *const after = curl_slist_append(before, line);
    headers.reset(after ? after : before);
  };
  addHeader("Expect:"); // otherwise the body would wait for a reply that not every server sends
  addHeader("Content-Type: application/octet-stream");
  for (const std::string &header : request.headers)
    addHeader(header.c_str());
  char reason[CURL_ERROR_SIZE] = "";
  CURL *curl = handle.get();
  curl_easy_setopt(curl, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  for (const char *name : {"SSL_CERT_FILE", "CURL_CA_BUNDLE"}) // like the command curl
    if (const char *file = std::getenv(name); file && *file)
      curl_easy_setopt(curl, CURLOPT_CAINFO, file);
  curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
  curl_easy_setopt(curl, CURLOPT_POST, 1L);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.body.data() ? request.body.data() : "");
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, 1L);
  curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, 1L);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, request.mostSeconds);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, takeBytes);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answering);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, askInterrupted);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &answering);
  const CURLcode done = curl_easy_perform(curl);
  HttpAnswer &answer = answering.answer;
  if (done == CURLE_OK) {
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    answer.status = static_cast<int>(status);
  } else {
    answer.isUntrusted = done == CURLE_PEER_FAILED_VERIFICATION || done == CURLE_SSL_CACERT_BADFILE;
    answer.wasInterrupted = done == CURLE_ABORTED_BY_CALLBACK;
    answer.problem = done == CURLE_WRITE_ERROR ? "the answer is too long" : *reason ? reason : curl_easy_strerror(done);
  }
  return answer;
}

#else

bool canSendRequests() { return false; }
HttpAnswer post(const HttpRequest &, const std::function<bool()> &) { return {}; }

#endif

} // namespace ada::cli
