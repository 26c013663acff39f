// Calls of a trace as numpy arrays.
#include "columns.h"

#include "buffer.h"
#include "nulls.h"

#include "ada/trace/calls.h"
#include "analysis/events/globbed_function.h"
#include "analysis/query/tables.h"
#include "trace/base/text.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace py = pybind11;

namespace ada::python {

namespace {

using query::SpanChunk, query::SpanColumn;

// One column while it is filled.
class Column {
public:
  virtual ~Column() = default;
  virtual void add(const SpanChunk &chunk) = 0;
  virtual void finish(const std::deque<model::Function> &) {}
  virtual py::tuple take() = 0;
};

// Numbers as the chunk has them; `As` is their type in Python.
template <class T, class As = T> class Numbers : public Column {
public:
  explicit Numbers(std::span<const T> SpanChunk::*values) : values_(values) {}
  void add(const SpanChunk &chunk) override { numbers_.append(chunk.*values_); }
  py::tuple take() override { return py::make_tuple("numbers", numbers_.template take<As>(), py::none()); }

protected:
  std::span<const T> SpanChunk::*values_;
  Buffer<T> numbers_;
};

// The same, with a number that stands for null.
class NumbersOrNull : public Numbers<uint64_t, int64_t> {
public:
  NumbersOrNull(std::span<const uint64_t> SpanChunk::*values, uint64_t null) : Numbers(values), null_(null) {}
  void add(const SpanChunk &chunk) override {
    const std::span<const uint64_t> from = chunk.*values_;
    const std::span<uint64_t> to = numbers_.add(from.size());
    nulls_.add(from.size());
    bool any = false;
    for (size_t i = 0; i < from.size(); ++i) {
      any |= from[i] == null_;
      to[i] = from[i] == null_ ? 0 : from[i];
    }
    if (!any)
      return;
    const std::span<bool> flags = nulls_.last(from.size());
    for (size_t i = 0; i < from.size(); ++i)
      flags[i] = from[i] == null_;
  }
  py::tuple take() override { return py::make_tuple("numbers", numbers_.take<int64_t>(), nulls_.take()); }

private:
  const uint64_t null_;
  Nulls nulls_;
};

// Names of functions. Different functions may have one name; words are in the order of the functions.
class Names : public Column {
public:
  void add(const SpanChunk &chunk) override {
    numbers_.append(chunk.function);
    for (const uint32_t function : chunk.function) {
      if (function >= isUsed_.size())
        isUsed_.resize(function + size_t{1});
      isUsed_[function] = 1;
    }
  }
  void finish(const std::deque<model::Function> &functions) override {
    std::unordered_map<std::string_view, uint32_t> known;
    std::vector<uint32_t> codes(isUsed_.size());
    for (size_t function = 0; function < isUsed_.size(); ++function) {
      if (!isUsed_[function])
        continue;
      const std::string &name = functions[function].displayName;
      const auto [at, isNew] = known.try_emplace(name, static_cast<uint32_t>(words_.size()));
      if (isNew)
        words_.push_back(validUtf8(name));
      codes[function] = at->second;
    }
    for (uint32_t &number : numbers_.all())
      number = codes[number];
  }
  py::tuple take() override { return py::make_tuple("words", numbers_.take<int32_t>(), words_); }

private:
  Buffer<uint32_t> numbers_;
  std::vector<uint8_t> isUsed_; // by function
  std::vector<std::string> words_;
};

class Exits : public Column {
public:
  void add(const SpanChunk &chunk) override { codes_.append(chunk.exit); }
  py::tuple take() override {
    py::list words;
    for (const SpanEnd end : kSpanEnds)
      words.append(spanEndName(end));
    return py::make_tuple("words", codes_.take<int8_t>(), words);
  }

private:
  Buffer<uint8_t> codes_;
};

// Texts of single calls; empty ones are null.
class Texts : public Column {
public:
  explicit Texts(std::span<const std::string> SpanChunk::*values) : values_(values) { ends_.add(1)[0] = 0; }
  void add(const SpanChunk &chunk) override {
    const std::span<const std::string> from = chunk.*values_;
    const std::span<int64_t> ends = ends_.add(from.size());
    nulls_.add(from.size());
    std::span<bool> flags;
    for (size_t i = 0; i < from.size(); ++i) {
      const std::string text = validUtf8(from[i]);
      bytes_.append(std::span(text.data(), text.size()));
      ends[i] = static_cast<int64_t>(bytes_.size());
      if (text.empty())
        (flags.empty() ? flags = nulls_.last(from.size()) : flags)[i] = true;
    }
  }
  py::tuple take() override { return py::make_tuple("texts", ends_.take(), bytes_.take<uint8_t>(), nulls_.take()); }

private:
  std::span<const std::string> SpanChunk::*values_;
  Buffer<int64_t> ends_;
  Buffer<char> bytes_;
  Nulls nulls_;
};

std::unique_ptr<Column> columnFor(const std::string &key, SpanColumn column) {
  using Wide = Numbers<uint64_t, int64_t>;
  switch (column) {
  case SpanColumn::Id:
    return std::make_unique<Wide>(&SpanChunk::id);
  case SpanColumn::ParentId:
    return std::make_unique<NumbersOrNull>(&SpanChunk::parentId, query::kNoParent);
  case SpanColumn::Ts:
    return std::make_unique<Wide>(&SpanChunk::ts);
  case SpanColumn::Dur:
    return std::make_unique<Wide>(&SpanChunk::dur);
  case SpanColumn::Self:
    return std::make_unique<Wide>(&SpanChunk::self);
  case SpanColumn::OnCpu:
    return std::make_unique<NumbersOrNull>(&SpanChunk::onCpu, query::kUnknown);
  case SpanColumn::Waiting:
    return std::make_unique<NumbersOrNull>(&SpanChunk::waiting, query::kUnknown);
  case SpanColumn::Preempted:
    return std::make_unique<NumbersOrNull>(&SpanChunk::preempted, query::kUnknown);
  case SpanColumn::Recorder:
    return std::make_unique<NumbersOrNull>(&SpanChunk::recorder, query::kUnknown);
  case SpanColumn::SelfRecorder:
    return std::make_unique<NumbersOrNull>(&SpanChunk::selfRecorder, query::kUnknown);
  case SpanColumn::Function:
    if (key == "name")
      return std::make_unique<Names>();
    return std::make_unique<Numbers<uint32_t>>(&SpanChunk::function);
  case SpanColumn::Thread:
    return std::make_unique<Numbers<uint32_t>>(&SpanChunk::thread);
  case SpanColumn::Process:
    return std::make_unique<Numbers<uint32_t>>(&SpanChunk::process);
  case SpanColumn::Depth:
    return std::make_unique<Numbers<uint32_t>>(&SpanChunk::depth);
  case SpanColumn::Exit:
    return std::make_unique<Exits>();
  case SpanColumn::Outermost:
    return std::make_unique<Numbers<uint8_t, bool>>(&SpanChunk::outermost);
  case SpanColumn::Arguments:
    return std::make_unique<Texts>(&SpanChunk::arguments);
  case SpanColumn::Result:
    return std::make_unique<Texts>(&SpanChunk::result);
  case SpanColumn::Values:
    return std::make_unique<Texts>(&SpanChunk::values);
  }
  return nullptr;
}

class Arrays : public SpanArrays {
public:
  explicit Arrays(const std::vector<std::string> &keys) {
    for (const std::string &key : keys)
      if (const auto column = query::spanColumn(key)) {
        wanted_.add(*column);
        columns_.emplace_back(key, columnFor(key, *column));
      }
  }
  query::SpanColumns columns() const override { return wanted_; }
  bool add(const SpanChunk &chunk) noexcept override {
    try {
      for (auto &[key, column] : columns_)
        column->add(chunk);
    } catch (const std::bad_alloc &) {
      isFull_ = true;
    }
    return !isFull_;
  }
  void finish(const std::deque<model::Function> &functions) override {
    for (auto &[key, column] : columns_)
      column->finish(functions);
  }
  py::dict take() override {
    if (isFull_)
      throw std::bad_alloc();
    py::dict taken;
    for (auto &[key, column] : columns_)
      taken[py::str(key)] = column->take();
    return taken;
  }

private:
  query::SpanColumns wanted_;
  std::vector<std::pair<std::string, std::unique_ptr<Column>>> columns_;
  bool isFull_ = false;
};

} // namespace

SpanArrays::~SpanArrays() = default;

std::unique_ptr<SpanArrays> SpanArrays::make(const std::vector<std::string> &keys) {
  return std::make_unique<Arrays>(keys);
}

std::vector<std::string> spanKeys() {
  std::vector<std::string> keys;
  for (const ColumnInfo &column : query::findTable("spans")->columns)
    keys.emplace_back(column.key);
  return keys;
}

std::vector<uint32_t> functionsCalled(const std::deque<model::Function> &functions,
                                      const std::vector<std::string> &globs) {
  std::vector<uint32_t> found;
  for (const model::Function &function : functions) {
    const analysis::GlobbedFunction texts(function);
    if (std::ranges::any_of(globs, [&](const std::string &glob) { return texts.matches(glob); }))
      found.push_back(function.index);
  }
  return found;
}

} // namespace ada::python
