// Finishes the trace of a killed process, whose directory session_…/pid_N is its argument.
#include <ada/trace/recover.h>

#include <iostream>

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  auto result = ada::recoverProcess(argv[1]);
  if (!result) {
    std::cerr << result.error().text() << '\n';
    return 3;
  }
  std::cout << (result->wasNeeded ? "recovered " : "nothing to do: ") << result->events << " events in "
            << result->threads << " threads\n";
  return 0;
}
