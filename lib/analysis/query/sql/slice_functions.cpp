// Functions of Perfetto's dialect, under its names: ancestor_slice(id), descendant_slice(id), EXTRACT_ARG(id, key).
#include "module_of.h"

#include "slice_functions.h"

#include "trace/base/try.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <unordered_set>

namespace ada::query {

namespace slice_functions {
namespace {

enum Column : int {
  kId,
  kTs,
  kDur,
  kTrackId,
  kCategory,
  kName,
  kDepth,
  kParentId,
  kArgSetId,
  kUtid,
  kUpid,
  kOf, // hidden: the argument
};
constexpr char kDeclaration[] =
    "CREATE TABLE x (id INTEGER, ts INTEGER, dur INTEGER, track_id INTEGER, category TEXT, name TEXT, depth INTEGER, "
    "parent_id INTEGER, arg_set_id INTEGER, utid INTEGER, upid INTEGER, of_id INTEGER HIDDEN)";
// All calls inside of one are in memory.
constexpr size_t kMaxInside = 4'000'000;

struct SliceVtab : TraceVtab {
  SliceVtab(AttachedTrace &trace, bool isInside) : TraceVtab(trace), isInside(isInside) {}
  bool isInside; // descendants

  static int connect(sqlite3 *database, void *traces, int count, const char *const *argv, sqlite3_vtab **made,
                     char **message) {
    AttachedTrace *const trace = traceOf(traces, argv);
    if (!trace || count != 4) {
      *message = sqlite3_mprintf("there is no such trace or function");
      return SQLITE_ERROR;
    }
    const int status = sqlite3_declare_vtab(database, kDeclaration);
    if (status == SQLITE_OK)
      *made = new SliceVtab(*trace, std::string_view(argv[3]) == "inside");
    return status;
  }
  int bestIndex(sqlite3_index_info &info) {
    TablePlan plan = planOf(
        info, [](int column) { return column == kOf ? Push::One : Push::No; }, [](int) { return "of_id"; }, false);
    bool isMissing = false;
    for (int i = 0; i < info.nConstraint; ++i)
      isMissing |= info.aConstraint[i].iColumn == kOf && !info.aConstraint[i].usable;
    if (isMissing && plan.constraints.empty())
      return SQLITE_CONSTRAINT; // the argument's table has to come first
    info.estimatedRows = isInside ? 1000 : 10;
    info.estimatedCost = isInside ? 10'000.0 : 100.0;
    return offer(info, std::move(plan));
  }
};

struct SliceCursor : sqlite3_vtab_cursor {
  explicit SliceCursor(SliceVtab &table) : sqlite3_vtab_cursor{}, table(table) {}
  SliceVtab &table;
  std::vector<KeptSpan> spans;
  sqlite3_int64 of = 0;
  size_t row = 0;

  // From the call's caller outwards.
  Expected<void> addAround(KeptSpan span) {
    while (span.parentId != kNoParent) {
      const KeptSpan *const parent = ADA_TRY(table.trace.find(span.parentId));
      if (!parent)
        break;
      spans.push_back(span = *parent);
    }
    return {};
  }
  Expected<void> addInside(const KeptSpan &span) {
    SpanRequest request;
    request.columns = {SpanColumn::Id,      SpanColumn::ParentId, SpanColumn::Ts,
                       SpanColumn::Dur,     SpanColumn::Function, SpanColumn::Thread,
                       SpanColumn::Process, SpanColumn::Depth,    SpanColumn::Exit};
    request.minTs = span.ts, request.maxTs = span.ts + span.dur;
    request.minDepth = span.depth + 1;
    request.threads = {span.thread};
    request.stop = &table.trace.interrupt;
    ADA_TRY(SpanRead(table.trace.trace(), request, [&](const SpanChunk &chunk) {
              for (size_t i = 0; i < chunk.rows; ++i)
                spans.push_back({chunk.id[i], chunk.parentId[i], chunk.ts[i], chunk.dur[i], chunk.function[i],
                                 chunk.thread[i], chunk.process[i], chunk.depth[i], chunk.exit[i]});
              return spans.size() <= kMaxInside;
            }).run());
    if (spans.size() > kMaxInside)
      return Error{.code = "E_SQL", .message = "descendant_slice: more than 4,000,000 calls are inside of this one"};
    // Calls that begin when it ends may be its neighbour's.
    std::ranges::sort(spans, [](const KeptSpan &a, const KeptSpan &b) {
      return a.depth != b.depth ? a.depth < b.depth : a.id < b.id;
    });
    std::unordered_set<uint64_t> inside = {span.id};
    std::erase_if(spans, [&](const KeptSpan &one) {
      const bool isOther = !inside.contains(one.parentId);
      if (!isOther)
        inside.insert(one.id);
      return isOther;
    });
    return {};
  }

  int filter(const TablePlan &plan, sqlite3_value **values) {
    spans.clear();
    row = 0;
    if (plan.constraints.empty())
      return failTable(*pVtab, "a call's id is needed: ancestor_slice(id)");
    if (sqlite3_value_numeric_type(values[0]) != SQLITE_INTEGER)
      return SQLITE_OK;
    of = sqlite3_value_int64(values[0]);
    auto span = table.trace.find(static_cast<uint64_t>(of));
    Expected<void> done;
    if (!span)
      done = span.error();
    else if (*span)
      done = table.isInside ? addInside(**span) : addAround(**span);
    if (table.trace.interrupt)
      return SQLITE_INTERRUPT;
    return done ? SQLITE_OK : failTable(*pVtab, done.error().text());
  }
  int next() {
    ++row;
    return SQLITE_OK;
  }
  bool isAtEnd() const { return row >= spans.size(); }
  int column(sqlite3_context *context, int number) const {
    const KeptSpan &span = spans[row];
    const auto set = [&](uint64_t value) { sqlite3_result_int64(context, static_cast<sqlite3_int64>(value)); };
    switch (number) {
    case kId:
    case kArgSetId:
      set(span.id);
      break;
    case kTs:
      set(span.ts);
      break;
    case kDur:
      span.exit == static_cast<uint8_t>(SpanEnd::Open) ? sqlite3_result_int(context, -1) : set(span.dur);
      break;
    case kTrackId:
    case kUtid:
      set(span.thread);
      break;
    case kCategory:
      sqlite3_result_text(context, "function", -1, SQLITE_STATIC);
      break;
    case kName: {
      const std::string &name = table.trace.nameOf(span.function);
      sqlite3_result_text64(context, name.data(), name.size(), SQLITE_STATIC, SQLITE_UTF8);
      break;
    }
    case kDepth:
      set(span.depth);
      break;
    case kParentId:
      if (span.parentId != kNoParent)
        set(span.parentId);
      break;
    case kUpid:
      set(span.process);
      break;
    default:
      sqlite3_result_int64(context, of);
    }
    return SQLITE_OK;
  }
  sqlite3_int64 rowId() const { return static_cast<sqlite3_int64>(row); }
};

// The value of an argument of a call; null if there is none.
void extractArg(sqlite3_context *context, int, sqlite3_value **values) {
  const auto &traces = *static_cast<AttachedTraces *>(sqlite3_user_data(context));
  const auto *const text = reinterpret_cast<const char *>(sqlite3_value_text(values[1]));
  if (traces.empty() || !text || sqlite3_value_numeric_type(values[0]) != SQLITE_INTEGER)
    return;
  const auto main = traces.find("main");
  AttachedTrace &trace = main == traces.end() ? *traces.begin()->second : *main->second;
  std::string_view key(text, static_cast<size_t>(sqlite3_value_bytes(values[1])));
  for (const std::string_view prefix : {"debug.", "args."}) // as Perfetto names them
    if (key.starts_with(prefix))
      key.remove_prefix(prefix.size());
  const auto id = static_cast<uint64_t>(sqlite3_value_int64(values[0]));
  const auto fail = [&](const Error &error) { sqlite3_result_error(context, error.text().c_str(), -1); };
  const auto span = trace.find(id);
  if (!span)
    return fail(span.error());
  if (!*span)
    return;
  enum : size_t { kSpanId = 0, kArgName = 6, kValue = 7, kNumber = 8 };
  const ListRequest request{.minTs = (*span)->ts, .maxTs = (*span)->ts, .threads = {{(*span)->thread}}};
  const auto done =
      trace.lists.read(*findTable("args"), request, trace.interrupt, [&](const std::vector<Value> &values) {
        const auto *const name = std::get_if<std::string>(&values[kArgName]);
        if (std::get<uint64_t>(values[kSpanId]) != id || !name || *name != key)
          return true;
        if (const auto *const number = std::get_if<Json>(&values[kNumber]))
          setNumberText(context, number->text);
        else if (const auto *const value = std::get_if<std::string>(&values[kValue]))
          sqlite3_result_text64(context, value->data(), value->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
        return false;
      });
  if (!done)
    fail(done.error());
}

} // namespace
} // namespace slice_functions

const sqlite3_module kSliceModule = moduleOf<slice_functions::SliceVtab, slice_functions::SliceCursor>();

int addSliceFunctions(sqlite3 *database, AttachedTraces &traces) {
  const int status = sqlite3_create_module_v2(database, "ada_slices", &kSliceModule, &traces, nullptr);
  return status != SQLITE_OK ? status
                             : sqlite3_create_function(database, "extract_arg", 2, SQLITE_UTF8, &traces,
                                                       slice_functions::extractArg, nullptr, nullptr);
}

} // namespace ada::query
