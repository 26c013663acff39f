// A store with two tables, and two clients: one writes orders, the other one reads customers and mistypes now and then.
//
// One request takes half a second; examples/README.md asks AdaTrace why.
#include "server.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>

namespace {

const std::vector<std::string> kTables = {"customers", "orders"};
constexpr unsigned kCustomers = 200;
constexpr unsigned kOrders = 600;
const std::vector<std::string> kStates = {"placed", "paid", "packed", "sent"};

std::string customerKey(unsigned number) { return "customer-" + std::to_string(number % kCustomers); }

// The same items for the same order.
std::string itemsOf(unsigned order) {
  static const std::vector<std::string> kItems = {"apples", "bread", "cheese", "flour", "honey", "milk", "pears"};
  std::string items;
  unsigned random = order * 2654435761u + 1;
  for (unsigned i = 0; i < 8; ++i) {
    random = random * 1664525u + 1013904223u;
    items += (i ? "," : "") + std::to_string(1 + random / 65536 % 9) + "x" + kItems[random / 4096 % kItems.size()];
  }
  return items;
}

// Each order is written once for each of its states, so the journal becomes several times as long as the table.
void importOrders(Server &server) {
  pthread_setname_np(pthread_self(), "importer");
  Connection connection;
  for (const std::string &state : kStates)
    for (unsigned order = 0; order < kOrders; ++order) {
      const std::string line = "PUT orders order-" + std::to_string(order) + " state=" + state +
                               " buyer=" + customerKey(order * 7) + " items=" + itemsOf(order);
      while (server.ask(connection, line) == "BUSY")
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

// Someone at a screen: reads a customer, thinks, reads the next one.
void browseCustomers(Server &server, const std::atomic<bool> &isOver) {
  pthread_setname_np(pthread_self(), "browser");
  Connection connection;
  for (unsigned i = 0; !isOver; ++i) {
    const char *verb = i % 40 == 7 ? "GTE" : "GET";
    server.ask(connection, std::string(verb) + " customers " + customerKey(i * 13));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void addCustomers(Server &server) {
  Connection connection;
  for (unsigned i = 0; i < kCustomers; ++i)
    server.ask(connection, "PUT customers " + customerKey(i) + " city=" + (i % 3 ? "Leeds" : "York"));
}

} // namespace

int main() {
  char directory[] = "/tmp/ada-store-XXXXXX";
  if (!mkdtemp(directory)) {
    std::perror(directory);
    return 1;
  }
  unsigned compactions = 0;
  {
    Server server(directory, kTables, 2);
    addCustomers(server);
    std::atomic<bool> isOver{false};
    std::thread browser(browseCustomers, std::ref(server), std::cref(isOver));
    std::thread importer(importOrders, std::ref(server));
    importer.join();
    isOver = true;
    browser.join();
    Connection connection;
    for (const std::string &table : kTables)
      std::printf("%s: %s\n", table.c_str(), server.ask(connection, "COUNT " + table).c_str());
    compactions = server.table("orders").compactions();
  }
  std::printf("the journal of orders was compacted %u time(s)\n", compactions);
  for (const std::string &table : kTables)
    std::remove((directory + ("/" + table)).c_str());
  return std::remove(directory) != 0 || compactions != 1;
}
