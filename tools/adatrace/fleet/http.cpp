// Sends HTTP requests, one at a time, with libcurl.
#include "http.h"

#ifdef ADA_CURL
#include "trace/base/loaded_library.h"

#include <curl/curl.h>

#include <cstdlib>

#include <memory>
#endif

namespace ada::cli {

#ifdef ADA_CURL

namespace {

constexpr long kConnectSeconds = 10;

/// The functions of libcurl, which is loaded for the first request: with the thirty libraries that it needs, it would
/// make each start of adatrace take half as long again.
struct Curl {
  std::string problem; ///< why there is no libcurl
  decltype(&curl_easy_init) create = nullptr;
  decltype(&curl_easy_cleanup) destroy = nullptr;
  decltype(&curl_easy_setopt) set = nullptr;
  decltype(&curl_easy_perform) perform = nullptr;
  decltype(&curl_easy_getinfo) get = nullptr;
  decltype(&curl_easy_strerror) nameOf = nullptr;
  decltype(&curl_slist_append) append = nullptr;
  decltype(&curl_slist_free_all) destroyList = nullptr;

  Curl() {
    LoadedLibrary library("libcurl.so.4");
    decltype(&curl_global_init) begin = nullptr;
    library.find(begin, "curl_global_init");
    library.find(create, "curl_easy_init");
    library.find(destroy, "curl_easy_cleanup");
    library.find(set, "curl_easy_setopt");
    library.find(perform, "curl_easy_perform");
    library.find(get, "curl_easy_getinfo");
    library.find(nameOf, "curl_easy_strerror");
    library.find(append, "curl_slist_append");
    library.find(destroyList, "curl_slist_free_all");
    if (!library.problem().empty())
      problem = "libcurl, which connects to servers, can't be loaded (" + library.problem() +
                "); Debian's package is libcurl4";
    else if (begin(CURL_GLOBAL_DEFAULT) != CURLE_OK)
      problem = "libcurl, which connects to servers, can't be initialised";
  }
};

const Curl &loadedCurl() {
  static const Curl loaded;
  return loaded;
}

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

std::string whyNoRequests() { return loadedCurl().problem; }

HttpAnswer post(const HttpRequest &request, const std::function<bool()> &isInterrupted) {
  const Curl &curl = loadedCurl();
  const std::unique_ptr<CURL, decltype(curl.destroy)> handle(curl.create(), curl.destroy);
  Answering answering{{}, request.mostAnswerBytes, isInterrupted};
  if (!handle) {
    answering.answer.problem = "out of memory";
    return answering.answer;
  }
  std::unique_ptr<curl_slist, decltype(curl.destroyList)> headers(nullptr, curl.destroyList);
  const auto addHeader = [&](const char *line) {
    curl_slist *const before = headers.release(); // the list may have another first element then
    curl_slist *const after = curl.append(before, line);
    headers.reset(after ? after : before);
  };
  addHeader("Expect:"); // otherwise the body would wait for a reply that not every server sends
  addHeader("Content-Type: application/octet-stream");
  for (const std::string &header : request.headers)
    addHeader(header.c_str());
  char reason[CURL_ERROR_SIZE] = "";
  const auto set = [&](CURLoption option, auto value) { curl.set(handle.get(), option, value); };
  set(CURLOPT_URL, request.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  for (const char *name : {"SSL_CERT_FILE", "CURL_CA_BUNDLE"}) // like the command curl
    if (const char *file = std::getenv(name); file && *file)
      set(CURLOPT_CAINFO, file);
  set(CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
  set(CURLOPT_POST, 1L);
  set(CURLOPT_POSTFIELDS, request.body.data() ? request.body.data() : "");
  set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  set(CURLOPT_HTTPHEADER, headers.get());
  set(CURLOPT_FORBID_REUSE, 1L);
  set(CURLOPT_FRESH_CONNECT, 1L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  set(CURLOPT_TIMEOUT, request.mostSeconds);
  set(CURLOPT_ERRORBUFFER, reason);
  set(CURLOPT_WRITEFUNCTION, takeBytes);
  set(CURLOPT_WRITEDATA, &answering);
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, askInterrupted);
  set(CURLOPT_XFERINFODATA, &answering);
  const CURLcode done = curl.perform(handle.get());
  HttpAnswer &answer = answering.answer;
  if (done == CURLE_OK) {
    long status = 0;
    curl.get(handle.get(), CURLINFO_RESPONSE_CODE, &status);
    answer.status = static_cast<int>(status);
  } else {
    answer.isUntrusted = done == CURLE_PEER_FAILED_VERIFICATION || done == CURLE_SSL_CACERT_BADFILE;
    answer.wasInterrupted = done == CURLE_ABORTED_BY_CALLBACK;
    answer.problem = done == CURLE_WRITE_ERROR ? "the answer is too long" : *reason ? reason : curl.nameOf(done);
  }
  return answer;
}

#else

std::string whyNoRequests() { return "this adatrace was built without libcurl, which connects to servers"; }
HttpAnswer post(const HttpRequest &, const std::function<bool()> &) { return {}; }

#endif

} // namespace ada::cli
