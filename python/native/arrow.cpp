// Hands columns to other libraries without a copy: Arrow's C data interface and its capsules.
#include "arrow.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

// The structures of the interface, whose layout never changes.
extern "C" {
struct ArrowSchema {
  const char *format, *name, *metadata;
  int64_t flags, n_children;
  ArrowSchema **children, *dictionary;
  void (*release)(ArrowSchema *);
  void *private_data;
};
struct ArrowArray {
  int64_t length, null_count, offset, n_buffers, n_children;
  const void **buffers;
  ArrowArray **children, *dictionary;
  void (*release)(ArrowArray *);
  void *private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream *, ArrowSchema *);
  int (*get_next)(ArrowArrayStream *, ArrowArray *);
  const char *(*get_last_error)(ArrowArrayStream *);
  void (*release)(ArrowArrayStream *);
  void *private_data;
};
}

namespace ada::python {

namespace {

constexpr int64_t kNullable = 2; // ARROW_FLAG_NULLABLE

// A column, or a table as a column whose format is "+s".
struct Field {
  std::string name, format;
  int64_t rows = 0, nulls = 0;
  std::vector<py::buffer_info> held; // keeps the buffers
  std::vector<const void *> buffers;
  std::vector<std::shared_ptr<const Field>> children; // of a table
  std::shared_ptr<const Field> dictionary;
};

// Arrow's users release what they got in any thread, without Python's lock, which the buffers need.
void destroy(Field *field) {
  if (!Py_IsInitialized())
    return;
  const py::gil_scoped_acquire locked;
  delete field;
}

std::shared_ptr<const Field> fieldOf(const py::tuple &column) {
  const std::shared_ptr<Field> field(new Field, destroy);
  field->name = column[0].cast<std::string>();
  field->format = column[1].cast<std::string>();
  field->rows = column[2].cast<int64_t>();
  field->nulls = column[3].cast<int64_t>();
  for (const py::handle buffer : column[4].cast<py::list>()) {
    if (!buffer.is_none())
      field->held.push_back(buffer.cast<py::buffer>().request());
    field->buffers.push_back(buffer.is_none() ? nullptr : field->held.back().ptr);
  }
  if (!column[5].is_none())
    field->dictionary = fieldOf(column[5].cast<py::tuple>());
  return field;
}

std::shared_ptr<const Field> tableOf(const py::list &columns) {
  const std::shared_ptr<Field> table(new Field, destroy);
  table->format = "+s";
  table->buffers = {nullptr}; // no row is null
  for (const py::handle column : columns)
    table->children.push_back(fieldOf(column.cast<py::tuple>()));
  table->rows = table->children.empty() ? 0 : table->children.front()->rows;
  return table;
}

// What a structure of Arrow's points to.
template <class Structure> struct Node {
  std::shared_ptr<const Field> field;
  std::vector<std::unique_ptr<Structure>> owned; // children, and the dictionary
  std::vector<Structure *> children;
  std::vector<const void *> buffers;
};

template <class Structure> void release(Structure *structure) {
  auto *node = static_cast<Node<Structure> *>(structure->private_data);
  for (const std::unique_ptr<Structure> &child : node->owned)
    if (child->release)
      child->release(child.get());
  structure->release = nullptr;
  delete node;
}

// Fills what both structures have.
template <class Structure, class Fill>
Node<Structure> *connect(Structure &to, const std::shared_ptr<const Field> &field, const Fill &fill) {
  auto *node = new Node<Structure>{field, {}, {}, field->buffers};
  for (const auto &child : field->children) {
    fill(*node->owned.emplace_back(std::make_unique<Structure>()), child);
    node->children.push_back(node->owned.back().get());
  }
  to.n_children = static_cast<int64_t>(node->children.size());
  to.children = node->children.data();
  to.dictionary = nullptr;
  if (field->dictionary) {
    fill(*node->owned.emplace_back(std::make_unique<Structure>()), field->dictionary);
    to.dictionary = node->owned.back().get();
  }
  to.release = &release<Structure>;
  to.private_data = node;
  return node;
}

void fillSchema(ArrowSchema &to, const std::shared_ptr<const Field> &field) {
  connect(to, field, &fillSchema);
  to.format = field->format.c_str();
  to.name = field->name.c_str();
  to.metadata = nullptr;
  to.flags = field->nulls > 0 ? kNullable : 0;
}

void fillArray(ArrowArray &to, const std::shared_ptr<const Field> &field) {
  Node<ArrowArray> *node = connect(to, field, &fillArray);
  to.length = field->rows;
  to.null_count = field->nulls;
  to.offset = 0;
  to.n_buffers = static_cast<int64_t>(node->buffers.size());
  to.buffers = node->buffers.data();
}

template <class Structure> py::capsule capsuleOf(std::unique_ptr<Structure> structure, const char *name) {
  return py::reinterpret_steal<py::capsule>(PyCapsule_New(structure.release(), name, [](PyObject *capsule) {
    auto *kept = static_cast<Structure *>(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
    if (kept->release) // nobody took it
      kept->release(kept);
    delete kept;
  }));
}

py::capsule schemaCapsule(const std::shared_ptr<const Field> &table) {
  auto schema = std::make_unique<ArrowSchema>();
  fillSchema(*schema, table);
  return capsuleOf(std::move(schema), "arrow_schema");
}

// A stream of one batch.
struct OneBatch {
  std::shared_ptr<const Field> table;
  bool isDone = false;
};
OneBatch &batchOf(ArrowArrayStream *stream) { return *static_cast<OneBatch *>(stream->private_data); }

} // namespace

py::capsule arrowSchema(const py::list &columns) { return schemaCapsule(tableOf(columns)); }

py::tuple arrowArray(const py::list &columns) {
  const auto table = tableOf(columns);
  auto array = std::make_unique<ArrowArray>();
  fillArray(*array, table);
  return py::make_tuple(schemaCapsule(table), capsuleOf(std::move(array), "arrow_array"));
}

py::capsule arrowStream(const py::list &columns) {
  auto stream = std::make_unique<ArrowArrayStream>();
  stream->private_data = new OneBatch{tableOf(columns)};
  stream->get_schema = [](ArrowArrayStream *from, ArrowSchema *to) {
    fillSchema(*to, batchOf(from).table);
    return 0;
  };
  stream->get_next = [](ArrowArrayStream *from, ArrowArray *to) {
    *to = {}; // released: the end
    if (!std::exchange(batchOf(from).isDone, true))
      fillArray(*to, batchOf(from).table);
    return 0;
  };
  stream->get_last_error = [](ArrowArrayStream *) -> const char * { return nullptr; };
  stream->release = [](ArrowArrayStream *from) {
    delete &batchOf(from);
    from->release = nullptr;
  };
  return capsuleOf(std::move(stream), "arrow_array_stream");
}

} // namespace ada::python
