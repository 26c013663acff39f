// C++ with templates, strings, containers and exceptions: documents are made, written, read, compared and found faulty.
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

using Json = nlohmann::json;

static uint32_t seed = 42;
static uint32_t draw(uint32_t n) {
  seed = seed * 1103515245u + 12345u;
  return (seed >> 16) % n;
}

static Json make(unsigned depth) {
  switch (depth == 0 ? draw(4) : draw(6)) {
  case 0:
    return draw(1000000);
  case 1:
    return draw(1000) / 8.0;
  case 2:
    return draw(2) == 0;
  case 3:
    return std::string(draw(20), 'x') + std::to_string(draw(100));
  case 4: {
    Json list = Json::array();
    for (unsigned n = draw(8); n-- > 0;)
      list.push_back(make(depth - 1));
    return list;
  }
  default: {
    Json object = Json::object();
    for (unsigned n = draw(8); n-- > 0;)
      object["key" + std::to_string(draw(50))] = make(depth - 1);
    return object;
  }
  }
}

int main() {
  size_t bytes = 0, faults = 0, same = 0;
  for (int round = 0; round < 2000; ++round) {
    Json document = Json::object();
    for (int i = 0; i < 20; ++i)
      document["part" + std::to_string(i)] = make(5);
    const std::string text = document.dump();
    bytes += text.size();
    same += Json::parse(text) == document;
    for (int cut = 1; cut <= 4; ++cut)
      try {
        (void)Json::parse(text.substr(0, text.size() * static_cast<size_t>(cut) / 5));
      } catch (const Json::parse_error &) {
        ++faults;
      }
    try {
      (void)document.at("part0").at("no such key").get<int>();
    } catch (const Json::exception &) {
      ++faults;
    }
  }
  std::printf("%zu bytes, %zu the same, %zu faults\n", bytes, same, faults);
}
