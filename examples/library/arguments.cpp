// Prints the calls and returns that were recorded with detail: `adatrace record --detail=GLOB`.
#include <ada/trace/thread_reader.h>

#include <iostream>

int main(int argc, char **argv) {
  auto session = ada::atf::Session::open(argc > 1 ? argv[1] : "ada-traces");
  if (!session) {
    std::cerr << session.error().text() << '\n';
    return 3;
  }
  for (const ada::atf::ProcessTrace &process : session->processes()) {
    const ada::types::Catalog types(process);
    for (const ada::atf::ThreadTrace &thread : process.threads()) {
      if (!thread.index)
        continue;
      const ada::atf::ThreadReader reader(thread, types);
      reader.forEach([&](const ada::atf::ThreadEvent &event) {
        const auto detail = reader.detail(event);
        if (!detail)
          return;
        std::cout << process.shortDisplayName(event.functionId);
        if (detail->isReturn)
          std::cout << " returned " << reader.resultText(*detail) << '\n';
        else
          std::cout << '(' << reader.argumentsText(*detail) << ")\n";
      });
    }
  }
  return 0;
}
