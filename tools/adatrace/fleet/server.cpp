// Talks to a ClickHouse server over its HTTP interface.
#include "server.h"
#include "exit_codes.h"
#include "http.h"
#include "trace/base/text.h"

#include "formats/clickhouse/compressed_block.h"
#include "trace/base/file_bytes.h"
#include "trace/base/format.h"
#include "trace/base/try.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <sys/stat.h>
#include <thread>

namespace ada::cli {

namespace {

// The first request to a server is short (whether there are tables, or the server's version). A server that accepts the
// connection but does not answer is detected by this request, not by an insert, which may take long.
constexpr long kFirstAnswerSeconds = 10;

Error usage(std::string message) { return {.code = "E_USAGE", .message = std::move(message)}; }

std::string escapedForUrl(std::string_view text) {
  std::string safe;
  for (const char c : text)
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_')
      safe += c;
    else
      safe += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return safe;
}

// "Code: 60, e.displayText() = DB::Exception: Table t.x doesn't exist., e.what() = DB::Exception"
struct Complaint {
  int code = 0;
  std::string text;
};
Complaint complaintIn(std::string_view body) {
  Complaint complaint;
  if (const size_t at = body.find("Code: "); at != body.npos)
    std::from_chars(body.data() + at + 6, body.data() + body.size(), complaint.code);
  constexpr std::string_view kBefore = "Exception: "; // for every kind of exception
  const size_t what = body.find(kBefore);
  std::string_view text = what == body.npos ? body : body.substr(what + kBefore.size());
  for (const std::string_view end : {", e.what()", "\n"})
    text = text.substr(0, text.find(end));
  while (!text.empty() && (text.back() == '.' || text.back() == ' '))
    text.remove_suffix(1);
  complaint.text = oneLine(text.substr(0, 500));
  return complaint;
}

// The numbers are ClickHouse's own (dbms/src/Common/ErrorCodes.cpp).
const char *codeOf(const Complaint &complaint, int status) {
  if (complaint.text.find("errno: 28") != std::string::npos ||
      complaint.text.find("No space left") != std::string::npos)
    return "E_SERVER_FULL";
  switch (complaint.code) {
  case 243: // NOT_ENOUGH_SPACE
    return "E_SERVER_FULL";
  case 209: // SOCKET_TIMEOUT, with another server in the cluster
  case 210: // NETWORK_ERROR
  case 279: // ALL_CONNECTION_TRIES_FAILED
    return "E_SERVER_DOWN";
  case 159: // TIMEOUT_EXCEEDED
  case 202: // TOO_MUCH_SIMULTANEOUS_QUERIES
  case 241: // MEMORY_LIMIT_EXCEEDED
  case 252: // TOO_MANY_PARTS
    return "E_SERVER_BUSY";
  case 164: // READONLY
  case 192: // UNKNOWN_USER
  case 193: // WRONG_PASSWORD
  case 194: // REQUIRED_PASSWORD
  case 195: // IP_ADDRESS_NOT_ALLOWED
  case 291: // DATABASE_ACCESS_DENIED
  case 497: // ACCESS_DENIED
  case 516: // AUTHENTICATION_FAILED
    return "E_ACCESS";
  case 81: // UNKNOWN_DATABASE
    return "E_NO_DATABASE";
  case 60:  // UNKNOWN_TABLE
  case 218: // TABLE_IS_DROPPED, by another client meanwhile
    return "E_NO_TABLE";
  default:
    // From a proxy in front of a server that is starting or overloaded.
    return complaint.code == 0 && (status == 502 || status == 503 || status == 504) ? "E_SERVER_DOWN" : "E_SERVER";
  }
}

// Removes the escapes of TabSeparated.
std::string unescaped(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      plain += text[i];
      continue;
    }
    constexpr std::string_view kLetters = "0bfnrt", kMeanings("\0\b\f\n\r\t", 6);
    const size_t letter = kLetters.find(text[++i]);
    plain += letter == kLetters.npos ? text[i] : kMeanings[letter];
  }
  return plain;
}

} // namespace

Expected<std::vector<ServerAddress>> parseAddresses(const std::string &text) {
  constexpr std::string_view kPlain = "clickhouse://", kTls = "clickhouses://";
  const bool isTls = text.starts_with(kTls);
  if (!isTls && !text.starts_with(kPlain))
    return usage(fmt::format("'{}' is not an address like clickhouse://HOST:PORT/DATABASE", oneLine(text)));
  const std::string rest = text.substr(isTls ? kTls.size() : kPlain.size());
  if (rest.find('@') != rest.npos)
    return usage("the address contains a user or password, which every user of this machine can see: set "
                 "CLICKHOUSE_USER and CLICKHOUSE_PASSWORD, or use --credentials");
  const size_t slash = rest.find('/');
  const std::string places = rest.substr(0, slash) + ",";
  const std::string database = slash == rest.npos ? "" : rest.substr(slash + 1);
  const auto isName = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  const auto isPlace = [](unsigned char c) {
    return std::isalnum(c) || std::string_view("-._:[]").find(char(c)) != std::string_view::npos;
  };
  std::vector<ServerAddress> servers;
  for (size_t at = 0; at < places.size();) {
    const size_t end = places.find(',', at);
    std::string place = places.substr(at, end - at);
    at = end + 1;
    if (place.empty() || !std::ranges::all_of(place, isPlace))
      return usage(fmt::format("'{}' names no host: clickhouse://HOST:PORT/DATABASE", oneLine(text)));
    if (database.empty() || !std::ranges::all_of(database, isName))
      return usage(fmt::format("'{}' names no database (letters, digits and _): clickhouse://HOST:PORT/DATABASE",
                               oneLine(text)));
    const std::string shown = std::string(isTls ? kTls : kPlain) + place + "/" + database;
    const size_t colon = place.rfind(':');
    if (colon == place.npos || place.back() == ']')
      place += isTls ? ":8443" : ":8123";
    servers.push_back({(isTls ? "https://" : "http://") + place + "/", database, shown});
  }
  return servers;
}

Expected<Credentials> readCredentials(const std::string &file) {
  Credentials credentials;
  if (file.empty()) {
    const auto variable = [](const char *name) {
      const char *value = std::getenv(name);
      return std::string(value ? value : "");
    };
    credentials = {variable("CLICKHOUSE_USER"), variable("CLICKHOUSE_PASSWORD")};
  } else {
    struct stat info;
    std::ifstream in(file);
    if (!in || ::stat(file.c_str(), &info) != 0)
      return usage(fmt::format("--credentials: {} can't be read", oneLine(file)));
    // A root-owned file may be group-readable, as with systemd's LoadCredential (mode 0440).
    if (info.st_mode & (info.st_uid == 0 ? 037u : 077u))
      return usage(fmt::format("--credentials: other users can read {}; run chmod 600 on it", oneLine(file)));
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("user="))
        credentials.user = line.substr(5);
      else if (line.starts_with("password="))
        credentials.password = line.substr(9);
      else if (!line.empty() && line[0] != '#')
        return usage(fmt::format("--credentials: {} has a line that is neither user=… nor password=…", oneLine(file)));
    }
  }
  for (const std::string *text : {&credentials.user, &credentials.password})
    if (text->find_first_of(std::string_view("\r\n\0", 3)) != text->npos)
      return usage("the user and the password can't contain line breaks");
  return credentials;
}

Expected<std::string> Server::send(std::string_view sql, const std::vector<std::string> &parameters,
                                   std::string_view body, bool hasDatabase) {
  if (std::string why = whyNoRequests(); !why.empty())
    return usage(std::move(why));
  // Without wait_end_of_query, an error that occurs after part of the answer was sent would not show in the status.
  HttpRequest request{.url = address_.url + "?wait_end_of_query=1&", .headers = {}, .body = body};
  if (hasDatabase)
    request.url += "database=" + address_.database + "&";
  for (const std::string &parameter : parameters)
    request.url += parameter + "&";
  // A query without data is sent as the body, because URLs must not be long.
  if (body.data())
    request.url += "query=" + escapedForUrl(sql);
  else
    request.body = sql;
  if (!credentials_.user.empty())
    request.headers.push_back("X-ClickHouse-User: " + credentials_.user);
  if (!credentials_.password.empty())
    request.headers.push_back("X-ClickHouse-Key: " + credentials_.password);
  {
    const std::lock_guard lock(sent_->mutex);
    if (!sent_->hasAnswered)
      request.mostSeconds = kFirstAnswerSeconds;
  }
  HttpAnswer answer = post(request, isInterrupted_);
  {
    const std::lock_guard lock(sent_->mutex);
    sent_->bytes += request.body.size();
    sent_->hasAnswered |= answer.status != 0;
  }
  if (answer.wasInterrupted)
    return Error{.code = "E_INTERRUPTED", .message = "interrupted"};
  if (answer.isUntrusted)
    return Error{.code = "E_ACCESS",
                 .message = "the server's certificate is not trusted: " + oneLine(answer.problem) +
                            "; set CURL_CA_BUNDLE=FILE to trust your own certificate authorities",
                 .file = address_.shown};
  if (answer.status == 0)
    return Error{.code = "E_SERVER_DOWN",
                 .message = "the server does not answer: " + oneLine(answer.problem),
                 .file = address_.shown};
  if (answer.status == 200)
    return std::move(answer.body);
  const Complaint complaint = complaintIn(answer.body);
  const std::string text = complaint.text.empty() ? fmt::format("HTTP status {}", answer.status) : complaint.text;
  return Error{.code = codeOf(complaint, answer.status), .message = "the server says: " + text, .file = address_.shown};
}

uint64_t Server::sentBytes() const {
  const std::lock_guard lock(sent_->mutex);
  return sent_->bytes;
}

Expected<std::string> Server::query(std::string_view sql, const std::vector<std::string> &parameters) {
  return send(sql, parameters, {}, true);
}
Expected<std::string> Server::queryWithoutDatabase(std::string_view sql) { return send(sql, {}, {}, false); }

Expected<unsigned> Server::version() {
  if (version_)
    return version_;
  const auto answer = ADA_TRY(queryWithoutDatabase("SELECT version()"));
  unsigned major = 0, minor = 0;
  const char *const end = answer.data() + answer.size();
  if (const auto read = std::from_chars(answer.data(), end, major); read.ptr != end && *read.ptr == '.')
    std::from_chars(read.ptr + 1, end, minor);
  return version_ = std::max(1u, major * 100 + std::min(minor, 99u));
}

Expected<std::vector<std::vector<std::string>>> Server::rows(std::string_view sql) {
  const auto answer = ADA_TRY(query(sql));
  std::vector<std::vector<std::string>> rows;
  for (std::string_view rest = answer; !rest.empty();) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    auto &row = rows.emplace_back();
    for (;;) {
      const size_t tab = line.find('\t');
      row.push_back(unescaped(line.substr(0, tab)));
      if (tab == line.npos)
        break;
      line.remove_prefix(tab + 1);
    }
  }
  return rows;
}

Expected<std::optional<uint64_t>> Server::number(std::string_view sql) {
  const auto answer = ADA_TRY(query(sql));
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(answer.data(), answer.data() + answer.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

Expected<void> Server::keepToRate(uint64_t bytes) {
  if (rate_ == 0)
    return {};
  constexpr auto kLongestPause = std::chrono::milliseconds(20);
  auto now = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point mine;
  {
    const std::lock_guard lock(sent_->mutex);
    mine = std::max(sent_->mayGoOn, now);
    sent_->mayGoOn = mine + std::chrono::nanoseconds(static_cast<int64_t>(1e9 * double(bytes) / double(rate_)));
  }
  for (; now < mine; now = std::chrono::steady_clock::now()) {
    if (isInterrupted_())
      return Error{.code = "E_INTERRUPTED", .message = "interrupted"};
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(mine - now, kLongestPause));
  }
  return {};
}

Expected<void> Server::insert(std::string_view table, std::string_view columns, std::string_view rows) {
  const std::string frame = formats::compressedBlock(rows);
  std::vector<std::string> settings = {"decompress=1", "http_native_compression_disable_checksumming_on_decompress=1",
                                       "max_insert_block_size=1048576"};
  // Servers that can defer inserts confirm deferred ones too early. Older servers refuse the setting.
  const auto known = ADA_TRY(version());
  if (known >= 2111)
    settings.emplace_back("async_insert=0");
  ADA_TRY(keepToRate(frame.size()));
  const auto done = send(fmt::format("INSERT INTO {} ({}) FORMAT RowBinary", table, columns), settings, frame, true);
  return done ? Expected<void>() : done.error();
}

std::string sqlQuoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text)
    if (c == '\'' || c == '\\')
      out.append({'\\', c});
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      out += c;
  return out + "'";
}

int exitCodeOf(const Error &error) {
  const std::pair<const char *, int> codes[] = {
      {"E_USAGE", kWrongUsage},       {"E_SERVER_DOWN", kServerDown}, {"E_SERVER_BUSY", kServerDown},
      {"E_SERVER_FULL", kServerFull}, {"E_ACCESS", kAccessDenied},    {"E_NO_DATABASE", kOtherSchema},
      {"E_NO_TABLE", kOtherSchema},   {"E_SCHEMA", kOtherSchema},
  };
  for (const auto &[code, status] : codes)
    if (error.code == code)
      return status;
  return kCantRead;
}

} // namespace ada::cli
