// SPDX-License-Identifier: MIT
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/schedule/proof.hpp>
#include <ipu_dsl/study/text/csv_reader.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;

namespace {

using kind = action_kind;

constexpr verdict judge(const program& rows) {
  const stage_graph graph =
      chain_stage_graph(rows.stages, stage_cost(), output_use::forward_only, rows.weights.copies);
  return prove(rows.view(), graph.view());
}

constexpr bool proves(std::string_view text) {
  const parsed_schedule read = parse_csv(text);
  return !read.fault.found() && judge(read.rows).proven();
}

template <typename T>
constexpr bool is(const list<T>& found, std::initializer_list<T> expected) {
  std::size_t i = 0;
  for (const T& value : expected) {
    if (i >= found.size() || !(found[i] == value)) {
      return false;
    }
    ++i;
  }
  return i == found.size();
}

constexpr std::string_view two_devices = "0F0,0F1,0B0,0B1\n,1F0,1B0,1F1,1B1\n";

static_assert(proves(two_devices));

/// Actions, placement, slots and appended updates of the plainest text.
constexpr checks test_plain() {
  const parsed_schedule read = parse_csv(two_devices);
  const program& rows = read.rows;
  checks done;
  done.that(rows.devices == 2);
  done.that(rows.stages == 2);
  done.that(rows.micro_batches == 2);
  done.that(read.dropped == 0);
  done.that(is(rows.device_of_stage, {0, 1}));
  done.that(is(rows.row_begin, {0, 5, 10}));
  done.that(is(rows.slot, {0, 1, 2, 3, 5, 1, 2, 3, 4, 5}));
  done.that(is(rows.actions, {action{kind::forward, 0, 0}, action{kind::forward, 0, 1},
                              action{kind::backward, 0, 0}, action{kind::backward, 0, 1},
                              action{kind::update, 0, 0}, action{kind::forward, 1, 0},
                              action{kind::backward, 1, 0}, action{kind::forward, 1, 1},
                              action{kind::backward, 1, 1}, action{kind::update, 1, 0}}));
  done.that(rows.weights == weight_policy{});
  return done;
}

static_assert(test_plain());

/// Two stages a device, in an order in which both wait for each other.
constexpr checks test_deadlock() {
  const parsed_schedule read = parse_csv("0F0,2F0,2B0,0B0\n3F0,1F0,3B0,1B0\n");
  const verdict found = judge(read.rows);
  checks done;
  done.that(!read.fault.found());
  done.that(found.kind == schedule_fault::deadlock);
  done.that(found.device == 0);
  done.that(found.position == 1);
  done.that(is(read.rows.device_of_stage, {0, 1, 0, 1}));
  return done;
}

static_assert(test_deadlock());

// Updates that are written stay where they are; without any, they are appended.
static_assert(!proves("0F0,0UPDATE,0B0"));
static_assert(proves("0F0,0B0,0UPDATE"));
static_assert(proves("0F0,0B0"));
static_assert(proves("0F0,0F1"));
static_assert(proves("0F0,1F0,1I0,1W0,0I0,0W0"));
static_assert(proves("0F0,0RECOMPUTE0,0B0"));
static_assert(proves("0F0,0OFFLOAD0,0FETCH0,0B0"));

/// Spaces, tabs, line ends of Windows, blank lines around, none at the end.
constexpr bool test_blanks() {
  constexpr std::string_view texts[] = {
      "0F0,0F1,0B0,0B1\r\n,1F0,1B0,1F1,1B1\r\n",
      "\n  \r\n0F0,0F1,0B0,0B1\n,1F0,1B0,1F1,1B1",
      " 0F0 ,\t0F1, 0B0,0B1 \n  , 1F0,1B0,1F1,1B1\n\n \n  ",
      "# devices=2\n0F0,0F1,0B0,0B1\n,1F0,1B0,1F1,1B1\n\n\n",
      "\n# stages=2\n\n#micro_batches=2\n\n0F0,0F1,0B0,0B1\n,1F0,1B0,1F1,1B1\n",
  };
  const program expected = parse_csv(two_devices).rows;
  for (const std::string_view text : texts) {
    const parsed_schedule read = parse_csv(text);
    bool same = !read.fault.found() && read.rows.devices == 2 &&
                read.rows.actions.size() == expected.actions.size();
    for (std::size_t i = 0; same && i < expected.actions.size(); ++i) {
      same = read.rows.actions[i] == expected.actions[i] && read.rows.slot[i] == expected.slot[i];
    }
    if (!same) {
      return false;
    }
  }
  return true;
}

static_assert(test_blanks());

// The byte-order mark that programs of Windows put before a text, and columns behind it.
static_assert(
    proves("\xef\xbb\xbf"
           "0F0,0B0\n"));
static_assert(proves("\xef\xbb\xbf# devices=1\r\n0F0,0B0\r\n"));
static_assert(parse_csv("\xef\xbb\xbf"
                        "0F0,x")
                  .column == 5);

/// Communication is passed over and counted; its cells are idle.
constexpr checks test_communication() {
  const parsed_schedule read = parse_csv(
      "0UNSHARD,0F0,0SEND_F0,0RECV_B0,0B0,0REDUCE_GRAD,0RESHARD\n"
      "1RECV_F0,1F0,1B0,1SEND_B0\n");
  checks done;
  done.that(!read.fault.found());
  done.that(read.dropped == 7);
  done.that(judge(read.rows).proven());
  done.that(is(read.rows.slot, {1, 4, 7, 1, 2, 7}));
  return done;
}

static_assert(test_communication());

/// A fused pair is one step in one column, also with spaces, with a half, or with a third action.
constexpr checks test_joined() {
  const parsed_schedule read =
      parse_csv("0F0,(0F1;0B0)OVERLAP_F_B, ( 0F2 ; 0I1 )OVERLAP_F_B ,0W1,0B2");
  const parsed_schedule three = parse_csv("0F0,(0F1;0B0;0F2)OVERLAP_F_B,0B1,0B2");
  checks done;
  done.that(!read.fault.found());
  done.that(is(read.rows.slot, {0, 1, 1, 2, 2, 3, 4, 5}));
  done.that(read.rows.actions[1] == action{kind::forward, 0, 1, true});
  done.that(read.rows.actions[2] == action{kind::backward, 0, 0, false});
  done.that(read.rows.actions[3] == action{kind::forward, 0, 2, true});
  done.that(read.rows.actions[4] == action{kind::input_gradient, 0, 1, false});
  done.that(three.rows.actions[1].joined);
  done.that(three.rows.actions[2].joined);
  done.that(!three.rows.actions[3].joined);
  return done;
}

static_assert(test_joined());

/// Everything that a header says, in any order and on several lines.
constexpr checks test_header() {
  const parsed_schedule read = parse_csv(
      "# delay=1 stages=4 update_interval=2\n"
      "# placement=0,1,2,0 micro_batches=6\tdevices=4 copies=2\n"
      "# columns=order\n"
      "0F0,0UPDATE,0UPDATE1\n"
      "1F0\n"
      "\n"
      "\n");
  const program& rows = read.rows;
  checks done;
  done.that(!read.fault.found());
  done.that(rows.devices == 4);
  done.that(rows.stages == 4);
  done.that(rows.micro_batches == 6);
  done.that(is(rows.device_of_stage, {0, 1, 2, 0}));
  done.that(rows.weights == weight_policy{2, 2, 1});
  done.that(rows.slot.empty());
  done.that(is(rows.row_begin, {0, 3, 4, 4, 4}));
  done.that(rows.actions[2] == action{kind::update, 0, 1});
  return done;
}

static_assert(test_header());
static_assert(parse_csv("# delay=newest\n0F0").rows.weights.delay == weight_policy::newest);
static_assert(parse_csv("# columns=slots\n0F0").rows.slot.size() == 1);

// An idle device: a row of empty cells, a blank line between rows, or one that the header counts.
static_assert(parse_csv(",\n0F0").rows.devices == 2);
static_assert(parse_csv("0F0\n\n1F0").rows.devices == 3);
static_assert(parse_csv("# devices=2\n\n0F0").rows.device_of_stage[0] == 1);
static_assert(parse_csv("# devices=3\n0F0\n\n\n\n").rows.row_begin.size() == 4);

/// A text that is wrong, and all that is said about it.
struct wrong_text {
  std::string_view text;
  std::string_view message;
  int line;
  int column;
};

constexpr wrong_text wrong_texts[] = {
    {"",
     "schedule mine: expected at least one action on a micro-batch, got none. Hint: 0F0 is the "
     "forward of stage 0 on micro-batch 0",
     0, 0},
    {"\n,,\n",
     "schedule mine: expected at least one action on a micro-batch, got none. Hint: 0F0 is "
     "the forward of stage 0 on micro-batch 0",
     0, 0},
    {"0F0,\n, hello \n",
     "schedule mine, line 2, cell 2: expected an action such as 2F0, beginning "
     "with its stage, got \"hello\". Hint: stage, type, micro-batch; an idle slot is an empty "
     "cell",
     2, 3},
    {"0F0,-1F0",
     "schedule mine, line 1, cell 2: expected an action such as 2F0, beginning with its "
     "stage, got \"-1F0\". Hint: stage, type, micro-batch; an idle slot is an empty cell",
     1, 5},
    {"0F0\n\n2G0,",
     "schedule mine, line 3, cell 1: expected F, B, I, W, RECOMPUTE, UPDATE, OFFLOAD "
     "or FETCH behind the stage, got \"2G0\". Hint: B is a whole backward, I (input) and W "
     "(weights) are its halves",
     3, 1},
    {"0F0,0BW0",
     "schedule mine, line 1, cell 2: expected F, B, I, W, RECOMPUTE, UPDATE, OFFLOAD or "
     "FETCH behind the stage, got \"0BW0\". Hint: B is a whole backward, I (input) and W "
     "(weights) are its halves",
     1, 5},
    {"0F",
     "schedule mine, line 1, cell 1: expected a micro-batch behind the type, got \"0F\". Hint: "
     "2F0 is the forward of stage 2 on micro-batch 0",
     1, 1},
    {"0F0 0F1",
     "schedule mine, line 1, cell 1: expected a comma or the end of the line behind an "
     "action, got \"0F0 0F1\". Hint: an action is such as 2F0",
     1, 1},
    {"0F0x,",
     "schedule mine, line 1, cell 1: expected a comma or the end of the line behind an "
     "action, got \"0F0x\". Hint: an action is such as 2F0",
     1, 1},
    {"0F0,0F99999999999999999999",
     "schedule mine, line 1, cell 2: expected numbers below 1000000, "
     "got \"0F99999999999999999999\"",
     1, 5},
    {"0F65536",
     "schedule mine, line 1, cell 1: expected a stage below 1024 and a micro-batch below "
     "65536, got F0(65536)",
     1, 1},
    {"1024F0",
     "schedule mine, line 1, cell 1: expected a stage below 1024 and a micro-batch below "
     "65536, got F1024(0)",
     1, 1},
    {"0F0,0UPDATE65536",
     "schedule mine, line 1, cell 2: expected a stage below 1024 and an update "
     "below 65536, got U0(65536)",
     1, 5},
    {"# stages=2 micro_batches=3\n0F0,1F3",
     "schedule mine, line 2, cell 2: expected a stage below 2 "
     "and a micro-batch below 3, got F1(3)",
     2, 5},
    {"0F0\n1F0,0B0",
     "schedule mine, line 2, cell 2: expected stage 0 on one device, got B0(0) on "
     "device 1. Hint: stage 0 is on device 0, where its other actions or the placement put it",
     2, 5},
    {"# placement=1,0\n0F0",
     "schedule mine, line 2, cell 1: expected stage 0 on one device, got "
     "F0(0) on device 0. Hint: stage 0 is on device 1, where its other actions or the placement "
     "put it",
     2, 1},
    {"0F0,1F0,3F0",
     "schedule mine: expected actions of every stage from 0 to 3, got none of stage "
     "2. Hint: number stages without gaps, or say in the header where each one is placed",
     0, 0},
    {"# stages=2\n0F0",
     "schedule mine: expected actions of every stage from 0 to 1, got none of "
     "stage 1. Hint: number stages without gaps, or say in the header where each one is placed",
     0, 0},
    {"# placement=0,2\n0F0",
     "schedule mine: expected stages placed on devices below 1, got stage 1 "
     "on device 2",
     0, 0},
    {"0F0,(0F1;0B0,0B1",
     "schedule mine, line 1, cell 2: expected a closing parenthesis behind the "
     "actions of one step, got \"(0F1;0B0\". Hint: a step of two actions is such as "
     "(0F7;7B3)OVERLAP_F_B",
     1, 5},
    {"(0F1)OVERLAP_F_B",
     "schedule mine, line 1, cell 1: expected two actions in parentheses, got "
     "\"(0F1)OVERLAP_F_B\". Hint: a step of two actions is such as (0F7;7B3)OVERLAP_F_B",
     1, 1},
    {"(0F1;0B0)OVERLAP",
     "schedule mine, line 1, cell 1: expected OVERLAP_F_B behind the actions of "
     "one step, got \"(0F1;0B0)OVERLAP\". Hint: a step of two actions is such as "
     "(0F7;7B3)OVERLAP_F_B",
     1, 1},
    {"(0F1;0SEND_F0)OVERLAP_F_B",
     "schedule mine, line 1, cell 1: expected computation alone in a "
     "step of several actions, got \"(0F1;0SEND_F0)OVERLAP_F_B\". Hint: a step of two actions "
     "is such as (0F7;7B3)OVERLAP_F_B",
     1, 1},
    {"# colour=3\n0F0",
     "schedule mine, line 1, header: expected a key and a value such as "
     "devices=4, got \"colour=3\". Hint: keys are devices, stages, micro_batches, copies, "
     "update_interval, delay, placement and columns",
     1, 3},
    {"# my schedule\n0F0",
     "schedule mine, line 1, header: expected a key and a value such as "
     "devices=4, got \"my\". Hint: keys are devices, stages, micro_batches, copies, "
     "update_interval, delay, placement and columns",
     1, 3},
    {"# devices=1\n# stages=1 devices=1\n0F0",
     "schedule mine, line 2, header: expected every key "
     "once, got \"devices=1\"",
     2, 12},
    {"# stages=0\n0F0",
     "schedule mine, line 1, header: expected a number from 1 to 1024, got "
     "\"stages=0\"",
     1, 3},
    {"# delay=-1\n0F0",
     "schedule mine, line 1, header: expected a number from 0 to 65536, got "
     "\"delay=-1\"",
     1, 3},
    {"# columns=rows\n0F0",
     "schedule mine, line 1, header: expected slots or order, got "
     "\"columns=rows\"",
     1, 3},
    {"# stages=1x\n0F0",
     "schedule mine, line 1, header: expected a space behind the value, got "
     "\"stages=1x\"",
     1, 3},
    {"# placement=0, 1\n0F0",
     "schedule mine, line 1, header: expected a number from 0 to 1023, got "
     "\"placement=0,\"",
     1, 3},
    {"# placement=0,0 stages=3\n0F0",
     "schedule mine, header: expected a placement of the 3 stages, "
     "got 2 devices",
     0, 0},
    {"# devices=3\n0F0\n1F0\n", "schedule mine: expected 3 rows, as the header says, got 2", 0, 0},
    {"# devices=1\n0F0\n1F0\n", "schedule mine: expected 1 row, as the header says, got 2", 0, 0},
    {"0F0\n# devices=1",
     "schedule mine, line 2, cell 1: expected an action such as 2F0, beginning "
     "with its stage, got \"# devices=1\". Hint: stage, type, micro-batch; an idle slot is an "
     "empty cell",
     2, 1},
    {"# copies=2\n0F0",
     "schedule mine: expected a number of stages that is a multiple of the 2 "
     "copies, got 1 stage",
     0, 0},
    {"# update_interval=1\n0F0,0B0",
     "schedule mine: expected updates among the actions, as an "
     "update interval is given, got none. Hint: 0UPDATE1 is the second update of stage 0, after "
     "the backwards it takes",
     0, 0},
    {"0F0,0B0,0F65535,0B65535\n1023F0,1023B0",
     "schedule mine: expected actions of every stage from 0 to 1023, got none of stage 1. Hint: "
     "number stages without gaps, or say in the header where each one is placed",
     0, 0},
    {"0F0,0B0,0F65535,0B65535\n1F0,1B0",
     "schedule mine: expected every micro-batch forward in every stage, at least 131072 actions, "
     "got 6 for 2 stages and 65536 micro-batches. Hint: F0(65535) has the largest number; number "
     "micro-batches from 0 without gaps",
     0, 0},
    {"# stages=1024 micro_batches=65536 placement=0\n0F0",
     "schedule mine, header: expected a placement of the 1024 stages, got 1 device", 0, 0},
    {"# micro_batches=65536\n0F0,1F0",
     "schedule mine: expected every micro-batch forward in every stage, at least 131072 actions, "
     "got 2 for 2 stages and 65536 micro-batches. Hint: the header says micro_batches=65536",
     0, 0},
    {"\xff\xfe"
     "0",
     "schedule mine: expected a text in UTF-8, got one in UTF-16. Hint: save it as CSV in UTF-8", 0,
     0},
    {"0F0,\x01\xff a text that goes on and on and on and on",
     "schedule mine, line 1, cell 2: "
     "expected an action such as 2F0, beginning with its stage, got \"?? a text that goes on and "
     "on an...\". Hint: stage, type, micro-batch; an idle slot is an empty cell",
     1, 5},
};

constexpr bool says(const wrong_text& wrong) {
  const parsed_schedule read = parse_csv(wrong.text);
  return read.fault.message().view() == wrong.message && read.line == wrong.line &&
         read.column == wrong.column && read.rows.actions.empty() && read.rows.devices == 0;
}

constexpr bool test_first_faults() {
  for (int i = 0; i < 8; ++i) {
    if (!says(wrong_texts[i])) {
      return false;
    }
  }
  return true;
}

static_assert(test_first_faults());
static_assert(parse_csv("x", "ours").fault.where.view() == "schedule ours, line 1, cell 1");

/// Eager 1F1B with a stage a device, written down: as large as the schedules that are generated at
/// compile time.
constexpr text<65536> write_large(int devices, int micro_batches) {
  text<65536> rows;
  for (int device = 0; device < devices; ++device) {
    const int ahead = 2 * (devices - 1 - device);
    for (int i = 0; i < micro_batches + ahead; ++i) {
      if (i < micro_batches) {
        rows << device << 'F' << i << ',';
      }
      if (i >= ahead) {
        rows << device << 'B' << i - ahead << ',';
      }
    }
    rows << '\n';
  }
  return rows;
}

constexpr text<65536> large_text = write_large(16, 256);

// Within the default limits of both compilers, with the text in static storage.
static_assert(parse_csv(large_text.view()).rows.actions.size() == 16 * (2 * 256 + 1));

// Digits without end overflow no int, neither of a stage nor of a micro-batch.
static_assert(parse_csv("99999999999999999999F0").fault.expected.view() == "numbers below 1000000");
static_assert(parse_csv("0F99999999999999999999").fault.expected.view() == "numbers below 1000000");
static_assert(parse_csv("# copies=99999999999999999999\n0F0").fault.found());
// The number of an update says nothing about micro-batches.
static_assert(parse_csv("0F0,0B0,0UPDATE7").rows.micro_batches == 1);

/// Texts that mutations start from: each grammar rule is in one of them.
constexpr std::string_view seeds[] = {
    two_devices,
    "# devices=2 stages=4 micro_batches=2 copies=2 update_interval=1 delay=1\n"
    "# placement=0,1,1,0 columns=order\n"
    "0F0,0B0,0UPDATE,0UPDATE1\r\n(1F0;1I0)OVERLAP_F_B,1W0\n",
    "0UNSHARD,0F0,0SEND_F0,0RECOMPUTE0,0RECV_B0,0B0,0REDUCE_GRAD,0RESHARD\n",
    "0F0,0OFFLOAD0,0FETCH0,(0F1;0B0)OVERLAP_F_B,0B1\n\n,,1F0,1F1\n",
};

/// A number below `bound` from a stream of random ones.
struct dice {
  std::uint64_t seed = 0;
  std::uint64_t next = 0;

  std::uint32_t operator()(std::size_t bound) {
    const std::uint32_t word = random_word(seed, 0, next);
    ++next;
    return uniform_below(word, static_cast<std::uint32_t>(bound));
  }
};

/// Changes, removes, inserts or repeats characters, a few times.
std::string mutate(std::string text, dice& roll) {
  constexpr std::string_view alphabet = "0123456789FBIWU,;()#=_ \n\r\tOVERLAPdevicstagm\0\xff";
  const std::uint32_t changes = 1 + roll(6);
  for (std::uint32_t change = 0; change < changes; ++change) {
    const std::size_t at = roll(text.size() + 1);
    const char letter = alphabet[roll(alphabet.size())];
    switch (roll(5)) {
      case 0:
        text.insert(at, 1, letter);
        break;
      case 1:
        text.erase(at, roll(8));
        break;
      case 2: {
        const std::size_t from = roll(text.size() + 1);
        const std::size_t length = roll(24);
        text.insert(at, text.substr(from, length));
        break;
      }
      case 3:
        text.resize(at);
        break;
      default:
        if (at < text.size()) {
          text[at] = letter;
        }
    }
  }
  return text;
}

/// What holds for whatever is read.
void check_read(const parsed_schedule& read) {
  const program& rows = read.rows;
  if (read.fault.found()) {
    REQUIRE(rows.actions.empty());
    REQUIRE(!read.fault.where.empty());
    REQUIRE(!read.fault.got.empty());
    return;
  }
  REQUIRE(rows.row_begin.size() == static_cast<std::size_t>(rows.devices) + 1);
  REQUIRE(rows.device_of_stage.size() == static_cast<std::size_t>(rows.stages));
  REQUIRE((rows.slot.empty() || rows.slot.size() == rows.actions.size()));
  REQUIRE(rows.micro_batches >= 1);
  for (int device = 0; device < rows.devices; ++device) {
    for (const action& what : rows.view().row(device)) {
      REQUIRE(what.stage < rows.stages);
      REQUIRE(rows.device_of_stage[static_cast<std::size_t>(what.stage)] == device);
      REQUIRE((what.kind == kind::update || what.micro_batch < rows.micro_batches));
    }
  }
}

}  // namespace

TEST_CASE("texts are read at run time as at compile time") {
  CHECK(test_plain());
  CHECK(test_deadlock());
  CHECK(test_blanks());
  CHECK(test_communication());
  CHECK(test_joined());
  CHECK(test_header());
  CHECK(test_first_faults());
}

TEST_CASE("every fault of a text has its sentence and its place") {
  int checked = 0;
  for (const wrong_text& wrong : wrong_texts) {
    const parsed_schedule read = parse_csv(wrong.text);
    CHECK(read.fault.message().view() == wrong.message);
    CHECK(read.line == wrong.line);
    CHECK(read.column == wrong.column);
    CHECK(says(wrong));
    ++checked;
  }
  // Never read: the size alone refuses it.
  const parsed_schedule huge = parse_csv(std::string_view("0F0", std::size_t{1} << 29));
  CHECK(huge.fault.message().view() ==
        "schedule mine: expected at most 268435456 characters, got 536870912");
  std::printf("checked %d faults\n", checked + 1);
  CHECK(checked > 0);
}

TEST_CASE("mutated texts are read or refused, and never read beyond their end") {
  int checked = 0;
  int accepted = 0;
  int proven = 0;
  for (std::uint64_t round = 0; round < 40000; ++round) {
    dice roll = {.seed = round};
    const std::string text = mutate(std::string(seeds[round % std::size(seeds)]), roll);
    // An allocation of exactly the text: a sanitizer sees a character read behind it.
    const auto exact = std::make_unique<char[]>(text.size());
    text.copy(exact.get(), text.size());
    const parsed_schedule read = parse_csv({exact.get(), text.size()});
    check_read(read);
    accepted += read.fault.found() ? 0 : 1;
    // What is read can be judged, too, whatever numbers stand in it.
    if (!read.fault.found()) {
      proven += judge(read.rows).proven() ? 1 : 0;
    }
    ++checked;
  }
  std::printf("checked %d mutated texts: %d accepted, %d proven\n", checked, accepted, proven);
  CHECK(checked == 40000);
  CHECK(accepted > 0);
  CHECK(accepted < checked);
  CHECK(proven > 0);
}

TEST_CASE("a text takes memory for what stands in it, and not for its largest numbers") {
  // 2 KB: all stages and the last micro-batch.
  std::string text;
  for (int stage = 0; stage < 300; ++stage) {
    text += std::to_string(stage) + "F65535,";
  }
  text += "0B0\n";
  CHECK(text.size() < 4096);
  const parsed_schedule read = parse_csv(text);
  CHECK(read.fault.message().view() ==
        "schedule mine: expected every micro-batch forward in every stage, at least 19660800 "
        "actions, got 301 for 300 stages and 65536 micro-batches. Hint: F0(65535) has the largest "
        "number; number micro-batches from 0 without gaps");
  // A program of the same counts, however it came to be.
  program rows(1, list<int>(300), 65536);
  for (int stage = 0; stage < 300; ++stage) {
    rows.put(kind::forward, stage, 65535);
  }
  rows.end_row();
  const verdict found = judge(rows);
  CHECK(found.kind == schedule_fault::missing);
  CHECK(found.fault.message().view() ==
        "schedule mine: expected every micro-batch forward in every stage, at least 19660800 "
        "actions, got 300 for 300 stages and 65536 micro-batches. Hint: number stages and "
        "micro-batches from 0 without gaps");
  // Counts that no int holds together.
  rows.micro_batches = 2'000'000'000;
  CHECK(judge(rows).kind == schedule_fault::missing);
}
