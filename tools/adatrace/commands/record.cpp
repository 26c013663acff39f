// adatrace record: runs and records a program, or records a running process.
#include "command.h"
#include "process/child_process.h"
#include "record/record_process.h"
#include "record/record_program.h"

namespace ada::cli {

namespace record_command {
namespace {

int run(const RecordOptions &options, const Invocation &invocation) {
  ignoreLostReader();
  if (!options.pid)
    return recordProgram(options, invocation.program, invocation.color);
  if (!invocation.program.empty())
    return fail(kWrongUsage, "record: give either a program or --pid");
  return recordProcess(options);
}

} // namespace
} // namespace record_command

const Command kRecord = {
    "record",
    "Run a program and record its function calls",
    "adatrace record ./server --port 8080\n"
    "adatrace record --pid=4711 --for=10s\n"
    "adatrace record --include='net::*|*/parser.cpp' --overflow=drop -- ./server -v\n"
    "adatrace record --detail='net::*' --trigger='slow:net::send>5ms' ./server",
    withOptions<declareRecord, record_command::run>,
    true,
};

} // namespace ada::cli
