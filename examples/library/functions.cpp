// Counts the calls of each function in a session, using only the public headers of the trace library.
#include <ada/trace/session.h>

#include <iostream>
#include <map>
#include <string>

int main(int argc, char **argv) {
  auto session = ada::atf::Session::open(argc > 1 ? argv[1] : "ada-traces");
  if (!session) {
    std::cerr << session.error().text() << '\n';
    return 3;
  }
  std::map<std::string, int> calls;
  for (const auto &process : session->processes())
    for (const auto &thread : process.threads())
      if (thread.index)
        for (const auto &event : *thread.index)
          if (event.kind == ada::EventKind::Call)
            ++calls[std::string(process.shortDisplayName(event.functionId))];
  for (const auto &[name, count] : calls)
    std::cout << name << ' ' << count << '\n';
  return 0;
}
