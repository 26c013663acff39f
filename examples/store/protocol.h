// What clients send: one request in a line of text.
#ifndef STORE_PROTOCOL_H
#define STORE_PROTOCOL_H

#include <stdexcept>
#include <string>

enum class Verb { Get, Put, Count };

struct Request {
  Verb verb = Verb::Get;
  std::string table, key, value;
};

class BadRequest : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Reads "GET table key", "PUT table key value" or "COUNT table". Throws BadRequest if the line is none of them.
Request parseRequest(const std::string &line);

#endif // STORE_PROTOCOL_H
