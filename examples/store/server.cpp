// The server's threads, and what they do with a request.
#include "server.h"

#include <atomic>
#include <pthread.h>

static std::atomic<unsigned> lastNumber{0};

Server::Server(const std::string &directory, const std::vector<std::string> &tables, unsigned workers) {
  for (const std::string &name : tables)
    tables_.emplace(name, std::make_unique<Table>(directory + "/" + name, longJournals_));
  for (unsigned i = 0; i < workers; ++i)
    threads_.emplace_back(&Server::answerRequests, this);
  threads_.emplace_back(&Server::compactTables, this);
}

Server::~Server() {
  requests_.close();
  longJournals_.close();
  for (std::thread &thread : threads_)
    thread.join();
}

std::string Server::ask(Connection &client, const std::string &line) {
  requests_.push({++lastNumber, line, &client});
  return client.replies.pop().value();
}

Table &Server::table(const std::string &name) {
  const auto found = tables_.find(name);
  if (found == tables_.end())
    throw BadRequest("there is no table " + name);
  return *found->second;
}

void Server::answerRequests() {
  pthread_setname_np(pthread_self(), "worker");
  while (const std::optional<Pending> next = requests_.pop())
    next->client->replies.push(handle(next->number, next->line));
}

void Server::compactTables() {
  pthread_setname_np(pthread_self(), "compactor");
  while (const std::optional<Table *> table = longJournals_.pop())
    (*table)->compact();
}

std::string Server::handle(unsigned number, const std::string &line) {
  try {
    return answer(parseRequest(line));
  } catch (const BadRequest &error) {
    return "ERROR in request " + std::to_string(number) + ": " + error.what();
  }
}

std::string Server::answer(const Request &request) {
  Table &rows = table(request.table);
  switch (request.verb) {
  case Verb::Get: {
    const std::optional<std::string> value = rows.get(request.key);
    return value ? "VALUE " + *value : "NONE";
  }
  case Verb::Put:
    return rows.put(request.key, request.value) ? "OK" : "BUSY";
  case Verb::Count:
    return "VALUE " + std::to_string(rows.count());
  }
  return "NONE";
}
