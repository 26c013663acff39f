// Answers requests for tables: clients ask, workers answer, a compactor keeps journals short.
#ifndef STORE_SERVER_H
#define STORE_SERVER_H

#include "protocol.h"
#include "queue.h"
#include "table.h"

#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

/// One client's connection to the server. A client has one request at a time.
struct Connection {
  Queue<std::string> replies;
};

class Server {
public:
  /// Tables have files in `directory`.
  Server(const std::string &directory, const std::vector<std::string> &tables, unsigned workers);
  /// Answers the requests made so far, and ends.
  ~Server();

  /// Called by clients: waits for the reply.
  std::string ask(Connection &client, const std::string &line);

  Table &table(const std::string &name);

private:
  struct Pending {
    unsigned number;
    std::string line;
    Connection *client;
  };

  void answerRequests();
  void compactTables();
  std::string handle(unsigned number, const std::string &line);
  std::string answer(const Request &request);

  Queue<Table *> longJournals_;
  std::map<std::string, std::unique_ptr<Table>> tables_;
  Queue<Pending> requests_;
  std::vector<std::thread> threads_;
};

#endif // STORE_SERVER_H
