// Parses requests.
#include "protocol.h"

#include <string_view>
#include <unordered_map>

namespace {

struct Form {
  Verb verb;
  bool hasKey, hasValue;
};

const std::unordered_map<std::string, Form> kForms = {
    {"GET", {Verb::Get, true, false}}, {"PUT", {Verb::Put, true, true}}, {"COUNT", {Verb::Count, false, false}}};

// Takes the first word off `rest`.
std::string takeWord(std::string_view &rest, const char *what) {
  const size_t end = rest.find(' ');
  const std::string word(rest.substr(0, end));
  if (word.empty())
    throw BadRequest(std::string("there is no ") + what);
  rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  return word;
}

const Form &formOf(const std::string &word) {
  const auto found = kForms.find(word);
  if (found == kForms.end())
    throw BadRequest("there is no verb " + word);
  return found->second;
}

} // namespace

Request parseRequest(const std::string &line) {
  std::string_view rest = line;
  const Form &form = formOf(takeWord(rest, "verb"));
  Request request;
  request.verb = form.verb;
  request.table = takeWord(rest, "table");
  if (form.hasKey)
    request.key = takeWord(rest, "key");
  if (form.hasValue)
    request.value = rest;
  else if (!rest.empty())
    throw BadRequest("too many words");
  return request;
}
