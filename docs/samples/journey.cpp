// SPDX-License-Identifier: MIT
// Follows one layer of the tutorial's model from its type to what ran, and prints every value on
// the way. The output is docs/samples/journey.txt.
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string>
#include <vector>

#include <ipu_dsl/report/chrome_trace.hpp>
#include <ipu_dsl/report/compared_model.hpp>
#include <ipu_dsl/report/comparison_text.hpp>
#include <ipu_dsl/report/drawn_model.hpp>
#include <ipu_dsl/report/drawn_trace.hpp>
#include <ipu_dsl/report/timeline_svg.hpp>
#include <ipu_dsl/runtime/execution_table.hpp>

#include "mnist_mlp.hpp"

using namespace samples;

namespace {

using compiled = training<grouped>::compiled;

constexpr graph_view model_graph = planned_graph_of<compiled>.view();
constexpr program_plan_view plan = frozen_plan_of<compiled, program_kind::train>.view();

/// The buffers of the lowering, which the plan does not keep: lowered again, by the compiler.
constexpr list<buffer> lowered_buffers() {
  return lowering(model_graph, program_kind::train, compiled::settings.micro_batch,
                  compiled::settings.optimizer)
      .lower()
      .made.buffers;
}

constexpr std::size_t buffer_count = lowered_buffers().size();
constexpr auto frozen_buffers = freeze_list<buffer_count>(lowered_buffers());
constexpr std::span<const buffer> buffers = frozen_buffers.view();

const char* name_of(tensor_role role) {
  constexpr const char* names[] = {"input",  "target",    "weight", "activation",
                                   "result", "parameter", "state"};
  static_assert(std::size(names) == static_cast<std::size_t>(tensor_role::state) + 1);
  return names[static_cast<std::size_t>(role)];
}

const char* name_of(storage lies) {
  constexpr const char* names[] = {"rows", "columns", "panels", "panel bias", "plain", "positions"};
  return names[static_cast<std::size_t>(lies)];
}

const char* name_of(call_phase phase) {
  constexpr const char* names[] = {"forward", "input gradient", "weight gradient", "update"};
  return names[static_cast<std::size_t>(phase)];
}

/// Who is meant by a buffer: "gradient of tensor 5".
std::string name_of(const buffer& memory) {
  constexpr const char* names[] = {"value",       "gradient",       "contribution",
                                   "accumulator", "optimizer slot", "parameter sums",
                                   "scratch"};
  static_assert(std::size(names) == static_cast<std::size_t>(buffer_role::scratch) + 1);
  const std::string role = names[static_cast<std::size_t>(memory.role)];
  return memory.tensor < 0 ? role + " " + std::to_string(memory.index)
                           : role + " of tensor " + std::to_string(memory.tensor);
}

std::string words(const label& text) {
  return std::string(text.view());
}

std::string describe_step(const step& what) {
  return letter(what.kind) + std::to_string(what.stage);
}

template <typename T>
std::string join(std::span<const T> numbers) {
  std::string text;
  for (const T number : numbers) {
    text += (text.empty() ? "" : " ") + std::to_string(number);
  }
  return text;
}

void print_element() {
  const element& described = element_of<Dense<256, relu>>;
  const auto options = described.options.as<dense_options>();
  std::printf("[element]\nkind     layer: %s\nrule     &dense_family, called %s\n",
              described.kind == element_kind::layer ? "yes" : "no",
              std::string(described.rule->name).c_str());
  std::printf("options  units %d, activation %s, has bias %d\nwritten  %s\n[/element]\n\n",
              options.units, std::string(ipu_dsl::name_of(options.activation)).c_str(),
              options.has_bias, words(describe(described)).c_str());
}

void print_tensors() {
  std::printf("[tensors]\n");
  for (std::size_t i = 0; i < model_graph.tensors.size(); ++i) {
    const tensor& atom = model_graph.tensors[i];
    std::printf("tensor %2zu  %-10s  %-6s  %-10s  lies in %-10s  gradient %s", i,
                name_of(atom.role), std::string(atom.name).c_str(),
                words(describe(atom.extents)).c_str(), name_of(atom.lies),
                atom.needs_gradient || atom.trainable ? "yes" : "no");
    std::printf(atom.view_of < 0 ? "\n" : ", view of tensor %d\n", atom.view_of);
  }
  std::printf("[/tensors]\n\n[nodes]\n");
  for (std::size_t i = 0; i < model_graph.nodes.size(); ++i) {
    const node& here = model_graph.nodes[i];
    const std::span<const std::int32_t> all = model_graph.operands;
    const auto operands =
        all.subspan(static_cast<std::size_t>(here.first_operand),
                    static_cast<std::size_t>(here.inputs + here.outputs + here.parameters));
    const auto inputs = static_cast<std::size_t>(here.inputs);
    const auto outputs = static_cast<std::size_t>(here.outputs);
    std::printf("node %zu  %-32s  stage %d  reads %s  makes %s", i,
                std::string(here.rule->name).c_str(), here.stage,
                join(operands.first(inputs)).c_str(),
                join(operands.subspan(inputs, outputs)).c_str());
    std::printf(here.parameters > 0 ? "  owns %s\n" : "\n",
                join(operands.subspan(inputs + outputs)).c_str());
  }
  std::printf("[/nodes]\n\n");
}

void print_schedule() {
  std::printf("[schedule]\n");
  for (int device = 0; device < plan.actions.devices; ++device) {
    std::printf("device %d ", device);
    const auto row = static_cast<std::size_t>(device);
    for (int i = plan.actions.row_begin[row]; i < plan.actions.row_begin[row + 1]; ++i) {
      std::printf(" %s",
                  words(describe(plan.actions.actions[static_cast<std::size_t>(i)])).c_str());
    }
    std::printf("\n");
  }
  std::printf("[/schedule]\n\n");
}

std::string family_of(std::int32_t call) {
  const std::int32_t kernel = plan.code_of_call[static_cast<std::size_t>(call)];
  return std::string(plan.codes[static_cast<std::size_t>(kernel)].family);
}

/// Without the zeros at its end, which are what a family's fields are by default.
std::string words_of(const call_key& key) {
  std::size_t end = key.size();
  while (end > 0 && key[end - 1] == 0) {
    --end;
  }
  std::string text;
  for (std::size_t word = 0; word < end; ++word) {
    text += (text.empty() ? "" : " ") + std::to_string(key[word]);
  }
  return text;
}

/// The calls of stage 0.
void print_calls() {
  std::printf("[calls]\n");
  for (int kind = 0; kind < action_kinds; ++kind) {
    const std::size_t entry = action_entry(0, static_cast<action_kind>(kind));
    for (std::int32_t i = plan.first_call[entry]; i < plan.first_call[entry + 1]; ++i) {
      const call& row = plan.calls[static_cast<std::size_t>(i)];
      std::printf("%c0  %-15s  %-6s  {%s}\n", letter(static_cast<action_kind>(kind)),
                  name_of(row.phase), family_of(i).c_str(), words_of(row.key).c_str());
      for (std::int32_t operand = 0; operand < row.writes + row.reads; ++operand) {
        const auto at = static_cast<std::size_t>(row.first_operand + operand);
        const buffer& memory = buffers[static_cast<std::size_t>(plan.operands[at])];
        std::printf("      %s %s, %s\n", operand < row.writes ? "writes" : "reads ",
                    name_of(memory).c_str(), name_of(memory.lies));
      }
    }
  }
  std::printf("[/calls]\n\n");
}

void print_memory() {
  std::printf("[memory]\n");
  for (std::size_t device = 0; device < plan.bytes_of_device.size(); ++device) {
    std::printf("region of device %zu: %lld bytes\n", device,
                static_cast<long long>(plan.bytes_of_device[device]));
  }
  for (std::size_t i = 0; i < plan.edges.size(); ++i) {
    const edge& link = plan.edges[i];
    std::printf("region of edge %zu: %d slots of %lld bytes, written by %s, read by", i,
                plan.slots[i], static_cast<long long>(link.bytes),
                describe_step(link.writer).c_str());
    for (const step& reader : plan.readers_of(link)) {
      std::printf(" %s", describe_step(reader).c_str());
    }
    std::printf("\n");
  }
  const std::int32_t wanted[] = {1, 2, 3, 4};
  for (const std::int32_t number : wanted) {
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const placement& where = plan.placements[i];
      if (buffers[i].tensor == number && where.edge < 0) {
        std::printf("%-26s device %d, offset %lld\n", name_of(buffers[i]).c_str(), where.region,
                    static_cast<long long>(where.offset));
      } else if (buffers[i].tensor == number) {
        std::printf("%-26s edge %d, offset %lld in the slot\n", name_of(buffers[i]).c_str(),
                    where.edge, static_cast<long long>(where.offset));
      }
    }
  }
  std::printf("[/memory]\n\n");
}

void print_steps() {
  const program_plan_view plans[] = {plan};
  const region_set memory(plans);
  const session_parts parts = parts_of<compiled>();
  const execution_table table(plan, parts.train.functions(), memory, 2);
  std::printf("[steps]\n");
  for (int worker = 0; worker < 2; ++worker) {
    for (const execution_step& made : table.row(worker)) {
      std::printf("worker %d  %-5s  %2zu calls", worker, words(describe(made.what)).c_str(),
                  table.calls(made).size());
      for (const awaited_count& awaited : table.waits(made)) {
        const step counted{awaited.counter / action_kinds,
                           static_cast<action_kind>(awaited.counter % action_kinds)};
        std::printf("  after %s of %s%s",
                    awaited.position < 0
                        ? std::to_string(awaited.position + plan.actions.micro_batches).c_str()
                        : std::to_string(awaited.position).c_str(),
                    describe_step(counted).c_str(),
                    awaited.position < 0 ? " in the run before" : "");
      }
      std::printf("\n");
    }
  }
  std::printf("[/steps]\n\n");
}

void print_kernels() {
  std::printf("[kernels]\n%zu calls, %zu distinct kernels; those of stage 0:\n", plan.calls.size(),
              plan.codes.size());
  list<bool> shown(plan.codes.size(), false);
  for (std::size_t i = 0; i < plan.calls.size(); ++i) {
    const auto number = static_cast<std::size_t>(plan.code_of_call[i]);
    if (plan.calls[i].stage == 0 && !shown[number]) {
      const kernel_name& kernel = plan.codes[number];
      std::printf("code %zu: operators<%s>::run<{%s}>\n", number,
                  std::string(kernel.family).c_str(), words_of(kernel.key).c_str());
      shown[number] = true;
    }
  }
  std::printf("[/kernels]\n\n");
}

// [write_text]
void write_text(const std::string& path, const std::string& text) {
  write_file_atomically(path, std::vector<std::uint8_t>(text.begin(), text.end()));
}

// [/write_text]

/// Draws the model and what ran, and takes the files away again.
void draw(const session<training<grouped>>& run) {
  // [draw]
  const drawn_timeline measured = draw_trace(run.last_trace(), "grouped, the last update");
  write_text("modelled.svg", timeline_svg(draw_model<training<grouped>>()));
  write_text("measured.svg", timeline_svg(measured));
  write_text("measured.json", chrome_trace(measured));
  // [/draw]
  for (const char* const path : {"modelled.svg", "measured.svg", "measured.json"}) {
    std::remove(path);
  }
}

/// The times of this run differ from those of the next, so that they are no part of the output.
void compare(const session<training<grouped>>& run) {
  // [compare]
  const compared_run compared = compare_run<training<grouped>>(run.last_trace());
  std::fputs(comparison_text(compared).c_str(), stderr);
  // [/compare]
  std::printf("[compared]\n%s: %zu kinds of actions\n[/compared]\n", compared.counts.c_str(),
              compared.actions.size());
}

void print_trace() {
  const auto digits = synthetic_digits(1'000, 1);
  // [traced]
  session<training<grouped>> run{{.learning_rate = 0.01F, .momentum = 0.9F},
                                 {.threads = 2, .trace = true}};
  run.fit(digits | repeated(), {.steps_per_epoch = 400});
  // [/traced]
  std::printf("[trace]\n");
  for (int worker = 0; worker < run.last_trace().workers(); ++worker) {
    std::printf("worker %d ", worker);
    for (const traced_action& done : run.last_trace().of(worker)) {
      std::printf(" %s", words(describe(done.what)).c_str());
    }
    std::printf("\n");
  }
  std::printf("[/trace]\n\n");
  draw(run);
  compare(run);
}

}  // namespace

int main() {
  std::printf("vectors of %d numbers\n\n", layout::native.lanes);
  print_element();
  print_tensors();
  print_schedule();
  print_calls();
  print_memory();
  print_kernels();
  print_steps();
  print_trace();
  return 0;
}
