// SPDX-License-Identifier: MIT
// What was measured, beside what was asked for: rows, printed as a table and written as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace measure {

/// What a goal bounds, and from which side.
enum class bound { value_at_least, value_at_most, limit_fraction_at_least, limit_fraction_at_most };

struct goal {
  bound of = bound::value_at_least;
  double number = 0;
};

/// One comparison. Rows of one name stand together.
struct row {
  std::string name;       ///< "gemm forward 784x256 batch 32"
  double value = 0;       ///< from minima
  std::string unit;       ///< "GFLOP/s"; "x": how many times faster than `peer`
  std::string peer = {};  ///< empty: the value is ours alone
  std::optional<goal> wanted = {};
  std::optional<double> limit_fraction = {};   ///< of what the machine can do at most
  std::optional<double> median = {};           ///< the value from medians
  std::optional<double> median_fraction = {};  ///< `limit_fraction` from medians
};

/// Whether the goal is reached; true without one.
bool holds(const row& judged);

/// Rows of several runs: of each row the one in the middle by how far it is from its goal, or by
/// its value where none is set, so that all its numbers are of one run. Of two in the middle the
/// worse one. In the order of the first run.
std::vector<row> middle_of_runs(const std::vector<std::vector<row>>& runs);

/// Prints rows as they come in, and keeps them.
class report {
 public:
  /// What to measure: rows whose name contains one of `only`, everything if there are none.
  explicit report(std::vector<std::string> only) : only_(std::move(only)) {}

  /// Whether rows of a name, or of a name that begins with it, are asked for.
  bool wants(const std::string& name) const;

  /// The parts of names that are asked for; none for all.
  const std::vector<std::string>& only() const { return only_; }

  /// Rows from here on are those of another run of everything, the second, the third and so on.
  void begin_run(int run);

  /// Rows of one name: one line.
  void add(const std::vector<row>& rows);

  /// A line that is no row.
  void say(const std::string& sentence) const;

  /// A contestant computes something else than it should. Its times mean nothing.
  void refuse(const std::string& sentence);

  /// The last lines, of several runs the rows in the middle as well; the exit status of the
  /// program.
  int finish() const;

  /// [{name, value, unit, peer, goal, holds, limit_fraction, median, median_fraction}]: `peer`,
  /// `goal`, `holds` and numbers that there are not are null. Of several runs the rows in the
  /// middle.
  void write_json(const std::string& path) const;

 private:
  std::vector<row> judged() const { return middle_of_runs(runs_); }

  std::vector<std::string> only_;
  std::vector<std::vector<row>> runs_ = std::vector<std::vector<row>>(1);
  int refused_ = 0;
};

}  // namespace measure
