// How fast ATF index files are scanned from the page cache, one thread:
//
//   scan_bench FOLDER [EVENTS]
//
// writes an index file of each version to FOLDER, reads them, removes them, and
// prints events per second as JSON, one figure per set:
//   first   opening, mapping and IndexReader::forEach, page faults and all
//   again   forEach when the pages are mapped
//   verify  opening with the checksum
#include "sets.h"

#include "ada/trace/atf_index.h"
#include "formats/native/index/index_writer.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

using namespace ada::atf;

namespace {
constexpr int kSets = 7;

[[noreturn]] void die(const std::string &what) {
  std::fprintf(stderr, "scan_bench: %s\n", what.c_str());
  std::exit(1);
}

/// Calls and returns of a program that nests 30 deep.
uint64_t writeIndex(const std::string &path, uint8_t version, uint64_t events) {
  auto writer = IndexWriter::create(path, {.version = version});
  if (!writer)
    die(writer.error().text());
  std::vector<uint64_t> stack;
  uint64_t time = 1'000'000'000, random = 1, sum = 0;
  for (uint64_t i = 0; i < events; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    time += random >> 59;
    IndexEvent event;
    event.timestampNs = time;
    if (stack.empty() || (stack.size() < 30 && (random >> 40 & 1))) {
      event.kind = ada::EventKind::Call;
      stack.push_back(event.functionId = uint64_t{1} << 32 | (random >> 41) % 2000);
    } else {
      event.kind = ada::EventKind::Return;
      event.functionId = stack.back();
      stack.pop_back();
    }
    sum += event.timestampNs ^ event.functionId;
    if (auto written = writer->append(event); !written)
      die(written.error().text());
  }
  if (auto finished = writer->finish(); !finished)
    die(finished.error().text());
  return sum;
}

uint64_t scan(const IndexReader &reader) {
  uint64_t sum = 0;
  reader.forEach([&](uint64_t, const IndexEvent &event) { sum += event.timestampNs ^ event.functionId; });
  return sum;
}

IndexReader open(const std::string &path, ChecksumPolicy policy) {
  auto reader = IndexReader::open(path, {.checksum = policy});
  if (!reader)
    die(reader.error().text());
  return *std::move(reader);
}
} // namespace

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3)
    die("usage: scan_bench FOLDER [EVENTS]");
  const uint64_t events = argc == 3 ? std::stoull(argv[2]) : 10'000'000;
  std::vector<std::string> paths;
  for (uint8_t version : {1, 2}) {
    const std::string path = std::string(argv[1]) + "/scan_v" + std::to_string(version) + ".atf";
    const uint64_t expected = writeIndex(path, version, events);
    auto check = [=](const IndexReader &reader) {
      if (scan(reader) != expected)
        die(path + " was not read back");
    };
    auto mapped = std::make_shared<IndexReader>(open(path, ChecksumPolicy::Defer));
    check(*mapped);
    const std::string name = "version " + std::to_string(version) + ", ";
    addSets(name + "first", kSets, events, [=] { check(open(path, ChecksumPolicy::Defer)); });
    addSets(name + "again", kSets, events, [=] { check(*mapped); });
    addSets(name + "verify", kSets, events, [=] { (void)open(path, ChecksumPolicy::Verify); });
    paths.push_back(path);
  }
  runSets(argv[0]);
  for (const std::string &path : paths)
    std::remove(path.c_str());
}
