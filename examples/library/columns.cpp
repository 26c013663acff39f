// Adds up the calls that main() made itself, from columns: only their durations and functions are read.
#include <ada/trace/columns.h>
#include <ada/trace/convert.h>

#include <cstdint>
#include <iostream>
#include <map>
#include <string>

int main(int argc, char **argv) {
  auto source = ada::model::openTrace(argc > 1 ? argv[1] : "ada-traces");
  if (!source) {
    std::cerr << source.error().text() << '\n';
    return 3;
  }
  auto trace = ada::query::SpanTable::open(*std::move(source));
  if (!trace) {
    std::cerr << trace.error().text() << '\n';
    return 3;
  }
  using ada::query::SpanColumn;
  ada::query::SpanRequest wanted;
  wanted.columns = {SpanColumn::Function, SpanColumn::Dur};
  wanted.minDepth = wanted.maxDepth = 1;
  struct Sum {
    uint64_t calls = 0, dur = 0;
  };
  std::map<uint32_t, Sum> sums; // by function
  const auto done = (*trace)->read(wanted, [&](const ada::query::SpanChunk &chunk) {
    for (size_t row = 0; row < chunk.rows; ++row) {
      Sum &sum = sums[chunk.function[row]];
      ++sum.calls;
      sum.dur += chunk.dur[row];
    }
    return true;
  });
  if (!done) {
    std::cerr << done.error().text() << '\n';
    return 3;
  }
  for (const auto &[function, sum] : sums)
    std::cout << (*trace)->functions()[function].displayName << ": " << sum.dur << " ns, count " << sum.calls << '\n';
  return 0;
}
