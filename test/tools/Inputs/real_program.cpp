// A program whose calls are those of real libraries: nlohmann's JSON and libstdc++'s regular expressions and maps.
//
//   real_program [ROUNDS]     some hundred thousand events per round
#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <thread>

using Json = nlohmann::ordered_json;

static Json document(unsigned round) {
  Json all = Json::array();
  for (unsigned i = 0; i < 40; ++i)
    all.push_back({{"id", i * round},
                   {"name", "thing " + std::to_string(i * 7919 % 101)},
                   {"price", i * 1.25},
                   {"tags", {"a", "b\n", i % 2 == 0, nullptr}},
                   {"inner", {{"depth", {{"depth", {{"depth", i}}}}}}}});
  return all;
}

static unsigned parsed(unsigned round) {
  const std::string text = document(round).dump(round % 3);
  const Json back = Json::parse(text);
  unsigned errors = 0;
  for (size_t cut = 1; cut < text.size(); cut += text.size() / 9) {
    try {
      (void)Json::parse(text.substr(0, cut));
    } catch (const Json::parse_error &) { // leaves the parser's frames by unwinding
      ++errors;
    }
  }
  return errors + unsigned(back.flatten().size());
}

static unsigned matched(unsigned round) {
  const std::regex pattern("(th(i|o)ng|[a-z]+) ([0-9]+)(, )?", round % 2 ? std::regex::ECMAScript : std::regex::icase);
  std::string text;
  for (unsigned i = 0; i < 12; ++i)
    text += "thing " + std::to_string(i * round) + ", ";
  std::map<std::string, unsigned> words;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
    ++words[at->str(1) + at->str(3)];
  return unsigned(words.size());
}

int main(int argc, char **argv) {
  const unsigned rounds = argc > 1 ? unsigned(std::atoi(argv[1])) : 1;
  unsigned sum = 0, other = 0;
  std::thread second([&] {
    for (unsigned i = 1; i <= rounds; ++i)
      other += matched(i);
  });
  for (unsigned i = 1; i <= rounds; ++i)
    sum += parsed(i);
  second.join();
  std::printf("%u %u\n", sum, other);
}
