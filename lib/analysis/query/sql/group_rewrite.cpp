// Turns a query that only adds up calls into one that reads sums.
//
// This is done with the query's words, not with a grammar of SQL. Whatever is not known to be right ends it.
#include "group_rewrite.h"

#include "analysis/query/tables.h"
#include "query_words.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

namespace ada::query {

namespace {

template <class Words> bool isAmong(const Words &words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// Words with which a query is of another form.
constexpr std::array<std::string_view, 15> kOther = {"select", "distinct", "filter",    "over",  "join",
                                                     "union",  "except",   "intersect", "with",  "window",
                                                     "exists", "natural",  "from",      "using", "values"};
// Functions of single values; others may be aggregates.
constexpr std::array<std::string_view, 20> kScalar = {
    "abs",   "cast",   "ceil", "coalesce", "floor",  "format", "glob",    "hex",   "ifnull", "iif",
    "instr", "length", "like", "lower",    "nullif", "printf", "replace", "round", "substr", "upper"};
constexpr std::array<std::string_view, 4> kNotKept = {"parent_id", "rowid", "oid", "_rowid_"};
constexpr std::array<std::string_view, 7> kBeforeParenthesis = {"and", "or", "not", "in", "where", "having", "by"};

class Rewriter {
public:
  explicit Rewriter(const std::vector<Token> &tokens) : tokens_(tokens) {}

  std::optional<std::string> run() {
    if (!at(0).is("select") || !findFrom())
      return std::nullopt;
    for (next_ = 0; at(next_).kind != Token::Kind::End;)
      if (!take())
        return std::nullopt;
    if (std::ranges::any_of(steps_, [](std::string_view step) { return !step.empty(); })) {
      std::string arguments;
      for (const std::string_view step : steps_)
        arguments.append(arguments.empty() ? "(" : ", ").append(step.empty() ? "0" : step);
      out_.insert(afterTable_, arguments + ")");
    }
    return hasAggregate_ || hasGroups_ ? std::optional(out_) : std::nullopt;
  }

private:
  enum class Clause { Select, Where, Group, Having, Order };

  const Token &at(size_t i) const { return tokens_[std::min(i, tokens_.size() - 1)]; }
  void put(std::string_view text) {
    out_ += out_.empty() || out_.ends_with('.') || text == "." ? "" : " ";
    out_ += text;
  }

  // FROM [schema.]spans [[AS] alias], the only table.
  bool findFrom() {
    for (from_ = 1; !at(from_).is("from"); ++from_)
      if (at(from_).kind == Token::Kind::End)
        return false;
    table_ = from_ + 1;
    if (at(table_ + 1).isSign("."))
      table_ += 2;
    if (!at(table_).isName() || at(table_).name != "spans")
      return false;
    afterFrom_ = table_ + 1;
    alias_ = "spans";
    const auto isClause = [](const Token &token) {
      return token.is("where") || token.is("group") || token.is("order") || token.is("limit") || token.is("having");
    };
    if (at(afterFrom_).is("as"))
      ++afterFrom_;
    if (at(afterFrom_).isName() && !isClause(at(afterFrom_)))
      alias_ = at(afterFrom_++).name;
    return at(afterFrom_).kind == Token::Kind::End || isClause(at(afterFrom_));
  }

  bool take() {
    const Token &token = at(next_);
    if (next_ == from_) {
      put("FROM");
      if (table_ == from_ + 3)
        put(at(from_ + 1).text), put(".");
      put("span_groups");
      afterTable_ = out_.size();
      put("AS");
      put("\"" + alias_ + "\"");
      next_ = afterFrom_;
      return true;
    }
    if (!token.isName()) {
      // `*` is a list of all columns, or multiplies.
      if (token.isSign("*") && (at(next_ - 1).is("select") || at(next_ - 1).isSign(",") || at(next_ - 1).isSign(".")))
        return false;
      if (token.isSign("?") || token.isSign(";"))
        return false;
      return copy();
    }
    if (token.kind == Token::Kind::Word) {
      if (next_ == 1 && token.is("distinct")) {
        hasGroups_ = true;
        return copy();
      }
      if (next_ > 0 && isAmong(kOther, token.name))
        return false;
      if (token.is("where"))
        clause_ = Clause::Where;
      else if (token.is("group"))
        clause_ = Clause::Group, hasGroups_ = true;
      else if (token.is("having"))
        clause_ = Clause::Having;
      else if (token.is("order"))
        clause_ = Clause::Order;
      else if (token.is("as") && clause_ == Clause::Select && at(next_ + 1).isName()) {
        aliases_.push_back(at(next_ + 1).name);
        return copy() && copy();
      } else if (at(next_ + 1).isSign("("))
        return takeFunction();
    }
    return takeName();
  }
  bool copy() {
    put(at(next_++).text);
    return true;
  }

  bool takeFunction() {
    const Token &function = at(next_);
    if (isAmong(kScalar, function.name) || isAmong(kBeforeParenthesis, function.name))
      return copy();
    // count(*), sum(column), sum(alias.column), count(DISTINCT key), sum(iif(outermost, column, 0))
    size_t argument = next_ + 2, end = 0;
    if (clause_ == Clause::Where)
      return false;
    const bool isDistinct = at(argument).is("distinct");
    argument = afterAlias(argument + isDistinct);
    const bool isOfOutermost = isOutermostOnly(argument);
    if (isOfOutermost) {
      argument = afterAlias(afterAlias(argument + 2) + 2);
      end = argument + 4;
    } else {
      end = argument + 1;
    }
    if (!at(end).isSign(")"))
      return false;
    const std::string &column = at(argument).name;
    const bool isAll = at(argument).isSign("*");
    const bool isMeasure = at(argument).isName() && isAmong(kGroupMeasures, column);
    const bool isKey = at(argument).isName() && isAmong(kGroupKeys, column);
    if (isDistinct || isOfOutermost) {
      if (isDistinct ? !function.is("count") || !isKey : !function.is("sum") || !isMeasure)
        return false;
      put(isDistinct ? "count(DISTINCT " + column + ")" : "sum(iif(outermost, ada_" + column + "_sum, 0))");
      hasAggregate_ = true;
      next_ = end + 1;
      return true;
    }
    const std::string sum = "sum(ada_" + column + "_sum)";
    if (function.is("count") && (isAll || isKey || isMeasure))
      put("coalesce(sum(" + (isMeasure ? "ada_" + column + "_n" : std::string("ada_n")) + "), 0)");
    else if (function.is("sum") && isMeasure)
      put(sum);
    else if (function.is("total") && isMeasure)
      put("total(ada_" + column + "_total)");
    else if (function.is("avg") && isMeasure)
      put("(sum(ada_" + column + "_total) / sum(ada_" + column + "_n))");
    else if ((function.is("min") || function.is("max")) && isMeasure)
      put(function.name + "(ada_" + column + "_" + function.name + ")");
    else if ((function.is("min") || function.is("max")) && isKey)
      put(function.name + "(" + column + ")");
    else
      return false;
    hasAggregate_ = true;
    next_ = end + 1;
    return true;
  }
  // Skips `alias.`
  size_t afterAlias(size_t i) const {
    return at(i).isName() && at(i).name == alias_ && at(i + 1).isSign(".") ? i + 2 : i;
  }
  // iif(outermost, COLUMN, 0)
  bool isOutermostOnly(size_t i) const {
    if (!at(i).is("iif") || !at(i + 1).isSign("("))
      return false;
    const size_t key = afterAlias(i + 2), column = afterAlias(key + 2);
    return at(key).isName() && at(key).name == "outermost" && at(key + 1).isSign(",") && at(column + 1).isSign(",") &&
           at(column + 2).isSign("0") && at(column + 3).isSign(")");
  }

  // ts / 1000000. The sign before it must not bind to `ts` first, nor that after it to the number.
  bool takePart() {
    constexpr std::array<std::string_view, 6> kFirst = {"*", "/", "%", "|", "~", ">"};
    const auto *const part = std::ranges::find(kGroupParts, at(next_).name);
    const size_t begin = next_ > 1 && at(next_ - 1).isSign(".") ? next_ - 2 : next_;
    const std::string_view step = at(next_ + 2).text;
    constexpr size_t kMaxDigits = 18;
    if (part == kGroupParts.end() || clause_ == Clause::Where || !at(next_ + 1).isSign("/") ||
        step.find_first_not_of("0123456789") != step.npos || step[0] == '0' || step.size() > kMaxDigits)
      return false;
    if ((begin > 0 && at(begin - 1).kind == Token::Kind::Other && isAmong(kFirst, at(begin - 1).text)) ||
        at(next_ + 3).isSign("|") || (at(next_ + 3).isSign("-") && at(next_ + 4).isSign(">")))
      return false;
    std::string_view &known = steps_[static_cast<size_t>(part - kGroupParts.begin())];
    if (!known.empty() && known != step)
      return false;
    known = step;
    put("ada_" + at(next_).name + "_part");
    next_ += 3;
    return true;
  }

  // A column, an alias, or a word of SQL.
  bool takeName() {
    if (takePart())
      return true;
    const Token &token = at(next_);
    const bool isAlias = std::ranges::find(aliases_, token.name) != aliases_.end();
    const bool isQualified = next_ > 0 && at(next_ - 1).isSign(".");
    const bool isColumn = spanColumn(token.name).has_value();
    if (!isColumn || isAmong(kGroupKeys, token.name) || clause_ == Clause::Where)
      return isAmong(kNotKept, token.name) ? false : copy();
    return clause_ == Clause::Order && isAlias && !isQualified ? copy() : false;
  }

  const std::vector<Token> &tokens_;
  std::string out_, alias_;
  std::vector<std::string> aliases_;                       // of results
  std::array<std::string_view, kGroupParts.size()> steps_; // empty: not a key
  size_t next_ = 0, from_ = 0, table_ = 0, afterFrom_ = 0;
  size_t afterTable_ = 0; // in out_
  Clause clause_ = Clause::Select;
  bool hasAggregate_ = false, hasGroups_ = false;
};

} // namespace

std::optional<std::string> rewriteGroups(std::string_view sql) {
  const auto tokens = tokensOf(sql);
  return tokens ? Rewriter(*tokens).run() : std::nullopt;
}

} // namespace ada::query
