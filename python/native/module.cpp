// The extension adatrace._native: what adatrace/*.py is built on. _native.pyi has its types.
#include "answers.h"
#include "arrow.h"
#include "columns.h"
#include "sql.h"
#include "without_lock.h"

#include "analysis/events/call_name.h"
#include "analysis/query/span_read.h"
#include "shared/select/function_glob.h"
#include "trace/base/text.h"
#include "trace/base/try.h"

#include <pybind11/stl.h>

#include <algorithm>

namespace py = pybind11;
using namespace pybind11::literals;

namespace ada::python {

namespace {

//===--- errors -----------------------------------------------------------===//

// Bytes of a file need not be UTF-8.
py::str textOf(const std::string &text) {
  return py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
}
py::str pathOf(const std::string &path) {
  return py::reinterpret_steal<py::str>(
      PyUnicode_DecodeFSDefaultAndSize(path.data(), static_cast<Py_ssize_t>(path.size())));
}

py::object errorOf(const Error &error) {
  return py::module_::import("adatrace._errors")
      .attr("Error")(textOf(oneLine(error.text())), "code"_a = textOf(error.code),
                     "path"_a = error.file.empty() ? py::object(py::none()) : pathOf(error.file),
                     "offset"_a = error.offset);
}

py::tuple damageOf(const Damage &damage) {
  py::list problems, warnings;
  for (const Error &problem : damage.problems)
    problems.append(errorOf(problem));
  for (const Warning &warning : damage.warnings)
    warnings.append(py::make_tuple(warning.code, textOf(oneLine(warning.message))));
  return py::make_tuple(problems, warnings);
}

py::tuple tupleOf(const Answer &answer) {
  py::list advice;
  for (const std::string &text : answer.advice)
    advice.append(textOf(oneLine(text)));
  return py::make_tuple(textOf(answer.text), advice, damageOf(answer.damage));
}

//===--- arguments --------------------------------------------------------===//

void checkGlobs(const std::vector<std::string> &globs) {
  for (const std::string &glob : globs) {
    TextPiece wrong;
    if (const char *fault = select::faultOf(glob, &wrong))
      throw py::value_error("'" + std::string(wrong.data, wrong.size) + "' " + fault);
  }
}

Choice makeChoice(std::vector<std::string> function, std::vector<std::string> include, std::vector<std::string> exclude,
                  std::vector<std::string> prune, bool external, std::optional<uint32_t> depth, uint64_t minDuration,
                  std::optional<uint64_t> start, std::optional<uint64_t> end,
                  std::optional<std::vector<uint32_t>> threads, const std::string &names) {
  for (const auto *globs : {&function, &include, &exclude, &prune})
    checkGlobs(*globs);
  constexpr std::pair<std::string_view, analysis::NameStyle> kNames[] = {{"short", analysis::NameStyle::Short},
                                                                         {"full", analysis::NameStyle::Full},
                                                                         {"mangled", analysis::NameStyle::Mangled}};
  const auto *style = std::ranges::find(kNames, names, [](const auto &entry) { return entry.first; });
  if (style == std::end(kNames))
    throw py::value_error("names is 'short', 'full' or 'mangled', not '" + names + "'");
  Choice choice;
  choice.filter.functions = std::move(function);
  choice.filter.included = std::move(include);
  choice.filter.excluded = std::move(exclude);
  choice.filter.pruned = std::move(prune);
  choice.filter.noExternal = !external;
  choice.filter.depth = depth.value_or(choice.filter.depth);
  choice.filter.minDurationNs = minDuration;
  choice.filter.fromNs = start.value_or(choice.filter.fromNs);
  choice.filter.toNs = end.value_or(choice.filter.toNs);
  choice.threads = std::move(threads);
  choice.names = style->second;
  return choice;
}

// The caller has checked the words.
analysis::ReportBy reportBy(const std::string &by) {
  return by == "thread"   ? analysis::ReportBy::Thread
         : by == "module" ? analysis::ReportBy::Module
         : by == "file"   ? analysis::ReportBy::File
                          : analysis::ReportBy::Function;
}

analysis::OutlierQuestion outlierQuestion(const Choice &choice, const std::string &slowest, size_t limit) {
  analysis::OutlierQuestion question{.globs = choice.filter.functions,
                                     .fromNs = choice.filter.fromNs,
                                     .toNs = choice.filter.toNs,
                                     .mostFunctions = limit};
  if (slowest.empty())
    return question;
  const auto parsed = analysis::SlowestOf::parse(slowest);
  if (!parsed)
    throw py::value_error("slowest is a share up to '50%', a number or '>DURATION', not '" + slowest + "'");
  question.slowest = *parsed;
  return question;
}

std::vector<analysis::Rule> rulesOf(const std::string &text) {
  const auto parsed = analysis::parseRules(text);
  if (const auto *fault = std::get_if<analysis::RuleFault>(&parsed))
    throw py::value_error("rules, line " + std::to_string(fault->line) + ", column " + std::to_string(fault->column) +
                          ": " + fault->message);
  return std::get<std::vector<analysis::Rule>>(parsed);
}

using Runs = std::vector<std::shared_ptr<Trace>>;
std::vector<const Trace *> pointers(const Runs &runs) {
  std::vector<const Trace *> all;
  for (const auto &run : runs)
    all.push_back(run.get());
  return all;
}

//===--- a trace ----------------------------------------------------------===//

std::shared_ptr<Trace> openTrace(const py::bytes &path) {
  const std::string name = path;
  return withoutLock([&](const StopFlag &stop) { return Trace::open(name, stop); });
}

py::list processesOf(const Trace &trace) {
  py::list all;
  for (const model::Process &process : trace.table().processes)
    all.append(py::make_tuple(process.index, textOf(process.label), process.pid,
                              process.executable.empty() ? py::object(py::none()) : pathOf(process.executable)));
  return all;
}

py::list threadsOf(const Trace &trace) {
  py::list all;
  for (const model::Thread &thread : trace.table().threads) {
    const model::ThreadExtent extent = thread.extent.value_or(model::ThreadExtent());
    const auto known = [&](uint64_t ns) { return extent.events ? py::object(py::int_(ns)) : py::none(); };
    all.append(py::make_tuple(thread.index, thread.process, thread.number, thread.tid,
                              thread.label.empty() ? py::object(py::none()) : textOf(thread.label),
                              known(extent.firstNs), known(extent.lastNs), extent.events, thread.knowsSched()));
  }
  return all;
}

// The system's names, after which threads can be chosen, too.
py::list recordedThreadNames(const Trace &trace) {
  py::list all;
  for (const model::Thread &thread : trace.table().threads)
    all.append(textOf(thread.name));
  return all;
}

// Calls use(shared) without Python's lock, and returns its result.
template <class Use> auto useFunctions(const Trace &trace, const Use &use) {
  decltype(use(std::declval<query::SharedTrace &>())) result;
  withoutLock([&](const StopFlag &stop) {
    return trace.useShared(stop, [&](query::SharedTrace &shared) -> Expected<void> {
      result = use(shared);
      return {};
    });
  });
  return result;
}

struct KnownFunction {
  model::Function about;
  bool isShared;
};

py::list functionsOf(const Trace &trace) {
  const auto read = [](query::SharedTrace &shared) {
    std::vector<KnownFunction> functions;
    for (const model::Function &function : shared.functions())
      functions.push_back({function, shared.isShared(function.index)});
    return functions;
  };
  py::list all;
  for (const auto &[function, isShared] : useFunctions(trace, read)) {
    const auto known = [](const std::string &text) { return text.empty() ? py::object(py::none()) : textOf(text); };
    all.append(py::make_tuple(function.index,
                              isShared ? py::object(py::none()) : py::object(py::int_(function.process)),
                              textOf(function.displayName), known(function.name), known(function.file),
                              function.line ? py::object(py::int_(function.line)) : py::none(),
                              known(function.signature), std::string(kindName(function.kind))));
  }
  return all;
}

py::tuple spansOf(const Trace &trace, const std::vector<std::string> &keys,
                  std::optional<std::vector<uint32_t>> functions, std::optional<std::vector<uint32_t>> threads,
                  std::optional<uint64_t> start, std::optional<uint64_t> end, uint64_t minDuration,
                  std::optional<uint64_t> maxDuration, std::optional<uint32_t> depth, uint64_t minId, uint64_t maxId) {
  const std::unique_ptr<SpanArrays> arrays = SpanArrays::make(keys);
  query::SpanRequest request;
  request.columns = arrays->columns();
  request.functions = std::move(functions), request.threads = std::move(threads);
  request.fromNs = start.value_or(request.fromNs), request.toNs = end.value_or(request.toNs);
  request.minDur = minDuration, request.maxDur = maxDuration.value_or(request.maxDur);
  request.minId = minId, request.maxId = maxId;
  request.maxDepth = depth ? *depth - 1 : request.maxDepth;
  Damage damage;
  withoutLock([&](const StopFlag &stop) {
    return trace.useShared(stop, [&](query::SharedTrace &shared) -> Expected<void> {
      const auto add = [&](const query::SpanChunk &chunk) { return arrays->add(chunk); };
      request.stop = stop.get();
      ADA_TRY(query::SpanRead(shared, request, add).run());
      arrays->finish(shared.functions());
      damage = {shared.problems(), shared.warnings()};
      return {};
    });
  });
  return py::make_tuple(arrays->take(), damageOf(damage));
}

// What is wrong, and why.
void defineCauses(py::class_<Trace, std::shared_ptr<Trace>> &trace) {
  trace
      .def("findings",
           [](const Trace &trace) {
             return tupleOf(withoutLock([&](const StopFlag &stop) { return findings(trace, stop); }));
           })
      .def(
          "why_call",
          [](const Trace &trace, const Choice &choice, std::optional<std::pair<uint32_t, uint64_t>> call) {
            return tupleOf(withoutLock([&](const StopFlag &stop) { return whyCall(trace, choice, call, stop); }));
          },
          "choice"_a, "call"_a)
      .def(
          "why_process",
          [](const Trace &trace, std::optional<uint64_t> pid) {
            return tupleOf(withoutLock([&](const StopFlag &stop) { return whyProcess(trace, pid, stop); }));
          },
          "pid"_a)
      .def(
          "threads_of_call",
          [](const Trace &trace, const std::string &name) {
            const auto call = analysis::CallName::parse(name);
            if (!call)
              throw py::value_error("'" + name + "' is not THREAD:NUMBER, like '0:17'");
            return std::pair(call->threadsIn(trace.table(), trace.threads(std::nullopt)), call->seq);
          },
          "name"_a)
      .def(
          "tails",
          [](const Trace &trace, const Choice &choice) {
            return tupleOf(withoutLock([&](const StopFlag &stop) { return tails(trace, choice, stop); }));
          },
          "choice"_a)
      .def(
          "outliers",
          [](const Trace &trace, const Choice &choice, const std::string &slowest, size_t limit) {
            const analysis::OutlierQuestion question = outlierQuestion(choice, slowest, limit);
            return tupleOf(withoutLock([&](const StopFlag &stop) { return outliers(trace, choice, question, stop); }));
          },
          "choice"_a, "slowest"_a, "limit"_a)
      .def(
          "check",
          [](const Trace &trace, const Choice &choice, const std::string &text) {
            const std::vector<analysis::Rule> rules = rulesOf(text);
            return tupleOf(withoutLock([&](const StopFlag &stop) { return check(trace, choice, rules, stop); }));
          },
          "choice"_a, "rules"_a);
}

void defineTrace(py::module_ &module) {
  py::class_<Choice>(module, "Choice")
      .def(py::init(&makeChoice), py::kw_only(), "function"_a, "include"_a, "exclude"_a, "prune"_a, "external"_a,
           "depth"_a, "min_duration"_a, "start"_a, "end"_a, "threads"_a, "names"_a);
  py::class_<Trace, std::shared_ptr<Trace>> trace(module, "Trace");
  defineCauses(trace);
  trace.def_static("open", &openTrace, "path"_a)
      .def_property_readonly("start", &Trace::startNs)
      .def_property_readonly("end", &Trace::endNs)
      .def_property_readonly("events", &Trace::eventCount)
      .def("processes", &processesOf)
      .def("threads", &threadsOf)
      .def("recorded_thread_names", &recordedThreadNames)
      .def("functions", &functionsOf)
      .def(
          "functions_called",
          [](const Trace &trace, const std::vector<std::string> &globs) {
            checkGlobs(globs);
            return useFunctions(trace, [&](const auto &shared) { return functionsCalled(shared.functions(), globs); });
          },
          "globs"_a)
      .def("spans", &spansOf, "keys"_a, "functions"_a, "threads"_a, "start"_a, "end"_a, "min_duration"_a,
           "max_duration"_a, "depth"_a, "min_id"_a, "max_id"_a)
      .def("damage", [](const Trace &trace) { return damageOf(trace.damage()); })
      .def(
          "report",
          [](const Trace &trace, const Choice &choice, const std::string &by, bool arguments, const std::string &sort) {
            return tupleOf(withoutLock([&](const StopFlag &stop) {
              return report(trace, choice, {.by = reportBy(by), .arguments = arguments, .sort = sort}, stop);
            }));
          },
          "choice"_a, "by"_a, "arguments"_a, "sort"_a)
      .def(
          "tree",
          [](const Trace &trace, const Choice &choice, bool fold, bool arguments, std::optional<uint64_t> limit) {
            return tupleOf(withoutLock([&](const StopFlag &stop) {
              return tree(trace, choice, {fold, arguments, limit.value_or(~uint64_t(0))}, stop);
            }));
          },
          "choice"_a, "fold"_a, "arguments"_a, "limit"_a)
      .def(
          "waits",
          [](const Trace &trace, const Choice &choice, bool byPlace) {
            return tupleOf(withoutLock([&](const StopFlag &stop) {
              return waits(trace, choice, byPlace ? analysis::WaitsBy::Place : analysis::WaitsBy::Object, stop);
            }));
          },
          "choice"_a, "by_place"_a)
      .def(
          "flame",
          [](const Trace &trace, const Trace *before, const Choice &choice, size_t most) {
            return tupleOf(withoutLock([&](const StopFlag &stop) { return flame(trace, before, choice, most, stop); }));
          },
          "before"_a.none(true), "choice"_a, "most"_a);
}

void defineRest(py::module_ &module) {
  module.def(
      "diff",
      [](const Runs &before, const Runs &after, const Choice &choice, bool byPath) {
        return tupleOf(withoutLock(
            [&](const StopFlag &stop) { return diff(pointers(before), pointers(after), choice, byPath, stop); }));
      },
      "before"_a, "after"_a, "choice"_a, "by_path"_a);
  py::class_<Database, std::shared_ptr<Database>>(module, "Database")
      .def(py::init([](const Database::Schemas &schemas) {
             return withoutLock([&](const StopFlag &stop) { return Database::open(schemas, stop); });
           }),
           "schemas"_a)
      .def(
          "run",
          [](Database &database, const std::string &sql) {
            const auto result = withoutLock([&](const StopFlag &stop) { return database.run(sql, stop); },
                                            [&](const StopFlag &stop) { database.interrupt(stop); });
            return py::make_tuple(taken(*result), damageOf(damageIn(*result)));
          },
          "sql"_a);
  module.def("arrow_schema", &arrowSchema, "columns"_a);
  module.def("arrow_array", &arrowArray, "columns"_a);
  module.def("arrow_stream", &arrowStream, "columns"_a);
  module.def("one_line", [](const std::string &text) { return textOf(oneLine(text)); }, "text"_a);
  module.def("span_keys", &spanKeys);
  module.def("report_sort_words", &reportSortWords);
}

} // namespace

} // namespace ada::python

PYBIND11_MODULE(_native, module) {
  module.doc() = "The part of adatrace that is written in C++. Use the package, not this module.";
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown)
        std::rethrow_exception(thrown);
    } catch (const ada::python::Failure &failure) {
      const py::object error = ada::python::errorOf(failure.error);
      PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())), error.ptr());
    }
  });
  ada::python::defineTrace(module);
  ada::python::defineRest(module);
}
