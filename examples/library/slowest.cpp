// Prints the slowest call of each function, with its off-CPU time. Reads a trace of any format.
#include <ada/trace/calls.h>
#include <ada/trace/convert.h>

#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace {

struct Slowest : ada::model::TraceSink {
  struct Call {
    uint64_t ns = 0, offCpuNs = 0;
  };
  std::vector<ada::model::Thread> threads;
  std::vector<ada::model::Function> functions;
  std::vector<ada::CallStackWalker> walkers; // one for each thread
  std::map<std::string, Call> calls;

  ada::Expected<void> addThread(const ada::model::Thread &thread) override {
    threads.push_back(thread);
    walkers.emplace_back();
    return {};
  }
  ada::Expected<void> addFunction(const ada::model::Function &function) override {
    functions.push_back(function);
    return {};
  }
  ada::Expected<void> events(const ada::model::Batch &batch) override {
    uint64_t seq = batch.firstSeq;
    for (const ada::model::Event &event : batch.events)
      if (event.kind <= ada::model::Kind::Exception)
        for (const ada::Span &span : walkers[event.thread]
                                         .feedNumbered(seq++, event.timeNs, event.function, ada::EventKind(event.kind))
                                         .finished)
          add(threads[event.thread], span);
    return {};
  }
  void add(const ada::model::Thread &thread, const ada::Span &span) {
    Call &slowest = calls[functions[span.functionIndex].displayName];
    if (span.durationNs() < slowest.ns)
      return;
    slowest.ns = span.durationNs();
    slowest.offCpuNs = thread.knowsSched() ? thread.offCpu->timesBetween(span.beginNs, span.endNs).sumNs() : 0;
  }
};

} // namespace

int main(int argc, char **argv) {
  auto source = ada::model::openTrace(argc > 1 ? argv[1] : "ada-traces");
  if (!source) {
    std::cerr << source.error().text() << '\n';
    return 3;
  }
  Slowest slowest;
  if (auto done = (*source)->read(slowest); !done) {
    std::cerr << done.error().text() << '\n';
    return 3;
  }
  for (const auto &[name, call] : slowest.calls)
    std::cout << name << ": " << call.ns << " ns, of which off-CPU " << call.offCpuNs << " ns\n";
  return 0;
}
