// Declares and parses the options and arguments of a command.
//
// The parsing library takes seconds to compile, so only command_line.cpp includes it.
#pragma once

#include "option_text.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace ada::cli {

/// An option, a flag or an argument of a command. Functions that refine it return it again.
class Option {
public:
  /// Parser and description.
  struct Declared {
    CLI::Option *parser;
    OptionText text;
  };
  Option(Declared *declared = nullptr) : declared_(declared) {}

  /// The name of its value in --help; "" for arguments, whose own names serve.
  Option type(const std::string &name) const;
  Option required() const;
  /// Takes one value each time it is given, not all the values that follow it.
  Option repeatable() const;
  Option oneOf(const std::vector<std::string> &words) const;
  /// For int, unsigned and double.
  template <class Number> Option between(Number least, Number most) const;
  /// `faultOf` returns what is wrong with a value, or nothing.
  Option check(const std::function<std::string(const std::string &)> &faultOf) const;
  /// The heading in --help under which it is listed, if not that of the Section.
  Option under(const std::string &heading) const;
  Option hidden() const { return under(""); }
  Option needs(const std::string &other) const;
  Option excludes(const std::string &other) const;
  /// Appends to its text in --help.
  void addText(const std::string &text) const;

  std::string name() const;
  bool isArgument() const;
  bool isGiven() const;
  const std::vector<std::string> &values() const; ///< as given on the command line

private:
  CLI::Option &parser() const { return *declared_->parser; }
  OptionText &text() const { return declared_->text; }

  Declared *declared_;
};

class CommandLine {
public:
  /// `path`: "adatrace tree"
  explicit CommandLine(const std::string &path);
  ~CommandLine();

  /// "-n,--name" is an option, "name" an argument. `Target`: a string, a list of strings, a number, or one of these as
  /// std::optional.
  template <class Target> Option option(const std::string &names, Target &target, const std::string &text);
  Option flag(const std::string &names, bool &target, const std::string &text);
  /// `set` takes the value and returns what is wrong with it, or nothing.
  using Set = std::function<std::string(const std::string &)>;
  using SetAll = std::function<std::string(const std::vector<std::string> &)>;
  Option parsed(const std::string &names, Set set, const std::string &text = "");
  /// The same for an option that may be repeated: `set` takes all values.
  Option parsed(const std::string &names, SetAll set, const std::string &text = "");
  /// Another way to write option `of`, not shown in --help.
  Option alias(const std::string &name, const std::string &of, Set set);
  /// An option whose values are words, each with its own meaning.
  template <class Target>
  Option choice(const std::string &names, Target &target,
                const std::vector<std::pair<std::string, std::type_identity_t<Target>>> &meanings,
                const std::string &text) {
    std::vector<std::string> words;
    for (const auto &meaning : meanings)
      words.push_back(meaning.first);
    return parsed(
               names,
               [&target, meanings](const std::string &value) {
                 for (const auto &[word, meaning] : meanings)
                   if (word == value)
                     target = meaning;
                 return std::string();
               },
               text)
        .oneOf(words);
  }

  Option find(const std::string &name) const; ///< the option must be declared
  std::vector<Option> all() const;            ///< in the order of declaration
  /// The same, as --help shows them.
  std::vector<OptionText> texts() const;

  /// While it exists, options are declared under its heading.
  class Section {
  public:
    Section(CommandLine &line, const char *heading) : line_(line), before_(std::exchange(line.heading_, heading)) {}
    ~Section() { line_.heading_ = before_; }
    Section(const Section &) = delete;

  private:
    CommandLine &line_;
    std::string before_;
  };

  /// Removes the traced program's command line from `args` and returns it. It starts after "--" or with the first
  /// argument that is neither an option nor an option's value.
  std::vector<std::string> takeProgram(std::vector<std::string> &args) const;
  /// Returns the exit status if there is nothing more to do: after --help, for which it calls `help`, or a complaint.
  std::optional<int> parse(std::vector<std::string> args, const std::function<void()> &help);

private:
  Option declare(CLI::Option *parser, const std::string &value, const std::string &text);

  std::string path_, heading_ = heading::kOptions;
  std::vector<std::unique_ptr<Option::Declared>> declared_;
  std::unique_ptr<CLI::App> app_;
};

} // namespace ada::cli
