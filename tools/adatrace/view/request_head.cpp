// Checks the head of an HTTP request.
#include "request_head.h"

#include <algorithm>

namespace ada::cli {

namespace {

constexpr std::string_view kLineEnd = "\r\n";

bool isVisible(char c) { return c > ' ' && c < 0x7f; }

// A character of a header's name (RFC 9110, 5.6.2).
bool isOfName(char c) {
  return isVisible(c) && std::string_view("\"(),/:;<=>?@[\\]{}").find(c) == std::string_view::npos;
}

// A character of a header's value; bytes from 0x80 on are allowed.
bool isOfValue(char c) { return isVisible(c) || c == ' ' || c == '\t' || static_cast<unsigned char>(c) >= 0x80; }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool isNamed(std::string_view name, std::string_view lowercase) {
  return std::ranges::equal(name, lowercase, {}, lower);
}

// "GET /path HTTP/1.1": no address of another server, no spaces but these.
bool isRequestLine(std::string_view line) {
  const size_t first = line.find(' '), last = line.rfind(' ');
  if (first == line.npos || first == last)
    return false;
  const std::string_view target = line.substr(first + 1, last - first - 1), version = line.substr(last + 1);
  return std::ranges::all_of(line.substr(0, first), isOfName) && target.starts_with('/') &&
         std::ranges::all_of(target, isVisible) && (version == "HTTP/1.1" || version == "HTTP/1.0");
}

} // namespace

std::string problemOfHead(std::string_view head) {
  const auto takeLine = [&] {
    const std::string_view line = head.substr(0, head.find(kLineEnd));
    head.remove_prefix(std::min(line.size() + kLineEnd.size(), head.size()));
    return line;
  };
  if (!isRequestLine(takeLine()))
    return "the first line is not a request for a path of this server";
  size_t hosts = 0;
  for (std::string_view line; !(line = takeLine()).empty();) {
    const std::string_view name = line.substr(0, line.find(':'));
    if (name.empty() || name.size() == line.size() || !std::ranges::all_of(name, isOfName))
      return "a header has no valid name";
    std::string_view value = line.substr(name.size() + 1);
    if (!std::ranges::all_of(value, isOfValue))
      return "a header contains control characters";
    value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
    value = value.substr(0, value.find_last_not_of(" \t") + 1);
    hosts += isNamed(name, "host");
    if (isNamed(name, "transfer-encoding") || (isNamed(name, "content-length") && value != "0"))
      return "requests have no body here";
  }
  return hosts == 1 ? "" : "there must be one Host header";
}

} // namespace ada::cli
