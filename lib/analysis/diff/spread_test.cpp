// Moderated t tests of values of runs.
#include "spread_test.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ada::analysis {

namespace {

// No value is known to differ by less than this from run to run: a third of the smallest change that diff names.
constexpr double kLeastSpread = 0.01 / 3;
constexpr size_t kEnoughValues = 4; // to tell a run's speed from a change of one value

double meanOf(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double squaresOf(std::span<const double> values) {
  const double middle = meanOf(values);
  return std::accumulate(values.begin(), values.end(), 0.0,
                         [&](double sum, double value) { return sum + (value - middle) * (value - middle); });
}

// The first derivatives of the logarithm of the gamma function, by their recurrences and asymptotic series.
double digamma(double x) {
  double sum = 0;
  for (; x < 8; ++x)
    sum -= 1 / x;
  const double square = 1 / (x * x);
  return sum + std::log(x) - 1 / (2 * x) - square * (1.0 / 12 - square * (1.0 / 120 - square / 252));
}
double trigamma(double x) {
  double sum = 0;
  for (; x < 8; ++x)
    sum += 1 / (x * x);
  const double square = 1 / (x * x);
  return sum + 1 / x + square / 2 + square / x * (1.0 / 6 - square * (1.0 / 30 - square / 42));
}
double inverseTrigamma(double y) {
  double low = 1e-4, high = 1e8; // trigamma falls
  for (int i = 0; i < 80; ++i) {
    const double middle = std::sqrt(low * high);
    (trigamma(middle) > y ? low : high) = middle;
  }
  return low;
}

// The continued fraction of the incomplete beta function (Lentz's method).
double betaFraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  const auto bounded = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1, d = 1 / bounded(1 - (a + b) * x / (a + 1)), result = d;
  for (int m = 1; m < 500; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / bounded(1 + even * d), c = bounded(1 + even / c), result *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / bounded(1 + odd * d), c = bounded(1 + odd / c), result *= d * c;
    if (std::abs(d * c - 1) < 1e-12)
      break;
  }
  return result;
}
double incompleteBeta(double a, double b, double x) {
  if (x <= 0 || x >= 1)
    return x <= 0 ? 0 : 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  return x < (a + 1) / (a + b + 2) ? front * betaFraction(a, b, x) / a : 1 - front * betaFraction(b, a, 1 - x) / b;
}

// What the variances of all values say about one of them: it counts like `degrees` degrees of freedom of that variance.
struct Prior {
  double variance = 0, degrees = 0;
};

// Fits the variances' logarithms to those of a scaled F distribution (Smyth 2004, section 6.2).
Prior priorOf(std::span<const double> variances, double degrees) {
  constexpr size_t kLeast = 4;
  constexpr double kMax = 1000;
  if (variances.size() < kLeast)
    return {};
  std::vector<double> logs;
  for (const double variance : variances)
    logs.push_back(std::log(variance) - digamma(degrees / 2) + std::log(degrees / 2));
  const double number = static_cast<double>(logs.size()), middle = meanOf(logs);
  const double excess = squaresOf(logs) / (number - 1) - trigamma(degrees / 2);
  Prior prior{std::exp(middle), kMax};
  if (excess > 0) {
    prior.degrees = 2 * inverseTrigamma(excess);
    prior.variance = std::exp(middle + digamma(prior.degrees / 2) - std::log(prior.degrees / 2));
  }
  prior.degrees = std::min(prior.degrees, (number - 1) * degrees); // they cannot know more than they are
  return prior;
}

// Whether a value varies so much more than the others that their variance can't be assumed for it: the upper tail of F.
bool isUnusual(double variance, double degrees, const Prior &prior) {
  constexpr double kSeldom = 0.01;
  if (prior.degrees == 0)
    return false;
  const double ratio = variance / prior.variance;
  return incompleteBeta(prior.degrees / 2, degrees / 2, prior.degrees / (prior.degrees + degrees * ratio)) < kSeldom;
}

// The prior of all but those. With two runs a side, chance makes as many of them.
Prior usualOf(std::vector<double> variances, double degrees) {
  Prior prior = priorOf(variances, degrees);
  const int mostRounds = degrees >= 4 ? 4 : 0;
  for (int round = 0; round < mostRounds; ++round) {
    if (std::erase_if(variances, [&](double variance) { return isUnusual(variance, degrees, prior); }) == 0)
      break;
    prior = priorOf(variances, degrees);
  }
  return prior;
}

// The variance of each value among the runs of a side.
std::vector<double> variancesOf(std::span<const RunLogs> values, size_t runsA, double degrees) {
  std::vector<double> variances;
  for (const RunLogs &value : values) {
    const std::span all(value.logs);
    const double squares = squaresOf(all.first(runsA)) + squaresOf(all.subspan(runsA));
    variances.push_back(std::max({squares / degrees, value.leastVariance, kLeastSpread * kLeastSpread}));
  }
  return variances;
}

double sumOfLogs(std::span<const double> variances) {
  return std::accumulate(variances.begin(), variances.end(), 0.0,
                         [](double sum, double variance) { return sum + std::log(variance); });
}

} // namespace

double medianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return values.size() % 2 ? *middle : (*middle + *std::max_element(values.begin(), middle)) / 2;
}

std::vector<double> speedsOf(std::span<const RunLogs> values) {
  if (values.size() < kEnoughValues)
    return {};
  std::vector<double> middles, speeds, parts(values.size());
  for (const RunLogs &value : values)
    middles.push_back(medianOf(value.logs));
  for (size_t run = 0; run < values[0].logs.size(); ++run) {
    for (size_t i = 0; i < values.size(); ++i)
      parts[i] = values[i].logs[run] - middles[i];
    speeds.push_back(medianOf(parts));
  }
  return speeds;
}

std::vector<SpreadTest> testSpread(std::span<const RunLogs> values, size_t runsA, size_t runsB) {
  std::vector<SpreadTest> tests(values.size());
  if (std::min(runsA, runsB) == 0 || runsA + runsB < 3 || values.empty())
    return tests;
  const double a = static_cast<double>(runsA), b = static_cast<double>(runsB), degrees = a + b - 2;
  std::vector<double> variances = variancesOf(values, runsA, degrees);
  std::vector<RunLogs> even;
  if (const std::vector<double> speeds = speedsOf(values); !speeds.empty()) {
    even.assign(values.begin(), values.end());
    for (RunLogs &value : even)
      for (size_t run = 0; run < value.logs.size(); ++run)
        value.logs[run] -= speeds[run];
    // Whichever makes the runs of a side more alike. This does not look at what differs between the sides.
    if (std::vector<double> others = variancesOf(even, runsA, degrees); sumOfLogs(others) < sumOfLogs(variances))
      values = even, variances = std::move(others);
  }
  const Prior usual = usualOf(variances, degrees);
  for (size_t i = 0; i < values.size(); ++i) {
    const std::span all(values[i].logs);
    const Prior prior = isUnusual(variances[i], degrees, usual) ? Prior() : usual;
    const double drawn = (prior.degrees * prior.variance + degrees * variances[i]) / (prior.degrees + degrees);
    const double variance = std::max(drawn, values[i].leastVariance) * (1 / a + 1 / b);
    tests[i].change = meanOf(all.subspan(runsA)) - meanOf(all.first(runsA));
    tests[i].p = chanceOfT(tests[i].change / std::sqrt(variance), prior.degrees + degrees);
  }
  return tests;
}

double chanceOfT(double t, double degrees) { return incompleteBeta(degrees / 2, 0.5, degrees / (degrees + t * t)); }

} // namespace ada::analysis
