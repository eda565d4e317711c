// SPDX-License-Identifier: MIT
// Runs a planned program tile by tile, to verify that tiles compute what the kernels do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/machine/tile_map.hpp>
#include <ipu_dsl/runtime/execution_table.hpp>
#include <ipu_dsl/runtime/tile_sram.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Code of a family for tiles, or none.
using tile_jobs_function = tile_jobs (*)(const call_signature& signature);

/// What was done tile by tile, counted: of a simulated machine, not of the host.
struct tile_account {
  std::int64_t supersteps = 0;      ///< jobs of calls
  std::int64_t blocks = 0;          ///< computed by tiles
  std::int64_t received_bytes = 0;  ///< copied to tiles
  std::int64_t sent_bytes = 0;      ///< copied from tiles
  std::int64_t most_bytes = 0;      ///< that any tile held at once
};

/// Executes one program on the calling thread, in the order of its proof, replicas in turn. Every
/// output is dealt over tiles; for each tile exactly what its block needs is copied into a memory
/// of its own, the block is computed there, and copied out. Every element is then a chain in the
/// kernels' order, and the results are those of `executor`, bit for bit, with any number of tiles.
class tile_executor {
 public:
  /// `tiles` of each device, of which each replica has its own. Throws `error` if that is less than
  /// one, if a family of the program has no code for tiles, or if the program was planned for
  /// another number of replicas.
  tile_executor(const program_plan_view& plan, std::span<const kernel_code> functions,
                std::span<const tile_jobs_function> code, const region_set& memory,
                std::int64_t tiles, int replicas = 1)
      : plan_(plan),
        jobs_(jobs_of(plan, code)),
        table_(plan, functions, memory, 1, replicas),
        tiles_(tiles) {
    if (tiles < 1) {
      throw error("A device has at least 1 tile, got " + std::to_string(tiles) + ".");
    }
  }

  /// One run: all micro-batches, and the update if the program has one.
  void run(const run_context& context) {
    account_ = {};
    for (const execution_step& step : table_.row(0)) {
      // What kernels share by grains is dealt over tiles by blocks, and so done once, in full,
      // where the first replica's part stands: replicas take turns action by action, so that behind
      // the first update of a stage there is nothing left that adds to its gradients.
      if (!step.shared || step.replica == 0) {
        perform(step, context_of(step, context, table_.replicas()));
      }
    }
  }

  /// Of the last run.
  const tile_account& account() const { return account_; }

 private:
  using addresses = std::span<void* const>;

  static std::vector<tile_jobs> jobs_of(const program_plan_view& plan,
                                        std::span<const tile_jobs_function> code) {
    std::vector<tile_jobs> made;
    for (std::size_t i = 0; i < plan.codes.size(); ++i) {
      if (code[i] == nullptr) {
        throw error("The family " + std::string(plan.codes[i].family) +
                    " has no code for tiles. Hint: specialise tile_operators<&its family> before "
                    "the executor is made.");
      }
      made.push_back(code[i](plan.codes[i].signature));
    }
    return made;
  }

  void perform(const execution_step& step, run_context context) {
    // The table holds the calls of one replica after those of another.
    const std::size_t calls_before = static_cast<std::size_t>(step.replica) * plan_.calls.size();
    std::size_t index = static_cast<std::size_t>(step.first_call) - calls_before;
    for (const resolved_call& resolved : table_.calls(step)) {
      perform(index, resolved, step.what.micro_batch, context);
      ++index;
      // Behind the end of the data there is nothing to compute.
      if (!context.training && context.valid_samples() == 0) {
        break;
      }
    }
  }

  void perform(std::size_t index, const resolved_call& resolved, std::int32_t micro_batch,
               run_context& context) {
    void* operands[execution_table::most_operands];
    for (std::int32_t i = 0; i < resolved.operands; ++i) {
      operands[i] = table_.address(resolved.first_operand + i, micro_batch);
    }
    context.stream = resolved.stream;
    const auto code = static_cast<std::size_t>(plan_.code_of_call[index]);
    if (jobs_[code].empty()) {
      resolved.run(context, operands, resolved.scalars);
      return;
    }
    for (const tile_job& job : jobs_[code]) {
      superstep(job, index, context, {operands, static_cast<std::size_t>(resolved.operands)});
    }
  }

  void superstep(const tile_job& job, std::size_t index, const run_context& context,
                 addresses operands) {
    const tile_map map = job.whole_rows ? tile_map::of_whole_rows(job.rows, job.columns, tiles_)
                                        : tile_map(job.rows, job.columns, tiles_);
    ++account_.supersteps;
    account_.blocks += map.tiles();
    for (std::int64_t tile = 0; tile < map.tiles(); ++tile) {
      compute(job, index, context, map.block_of(tile), operands);
    }
  }

  void compute(const tile_job& job, std::size_t index, const run_context& context,
               const tile_block& block, addresses operands) {
    const index_range rows{static_cast<std::int32_t>(block.row_begin),
                           static_cast<std::int32_t>(block.row_end)};
    const index_range columns{static_cast<std::int32_t>(block.column_begin),
                              static_cast<std::int32_t>(block.column_end)};
    regions_.clear();
    std::int64_t elements = 0;
    for (const tile_operand& operand : job.operands) {
      const region_of_operand needed{
          reached(operand.rows, operand.matrix.rows(), rows, columns),
          reached(operand.columns, operand.matrix.columns(), rows, columns)};
      regions_.push_back(needed);
      elements += tile_sram::with_margins(size_of(needed.rows), size_of(needed.columns));
    }
    sram_.clear(elements);
    receive(job, operands);
    const call& row = plan_.calls[index];
    job.compute({row.signature, row.scalars, context, rows, columns, privates_});
    check_job(job, index);
    send(job, operands);
  }

  struct region_of_operand {
    index_range rows;
    index_range columns;
  };

  static std::int32_t size_of(const index_range& range) { return range.end - range.begin; }

  static index_range reached(block_reach reach, std::int32_t extent, const index_range& rows,
                             const index_range& columns) {
    switch (reach) {
      case block_reach::rows:
        return rows;
      case block_reach::columns:
        return columns;
      case block_reach::all:
        break;
    }
    return {0, extent};
  }

  void receive(const tile_job& job, addresses operands) {
    privates_.clear();
    for (std::size_t i = 0; i < job.operands.size(); ++i) {
      const region_of_operand& needed = regions_[i];
      privates_.push_back(sram_.take(size_of(needed.rows), size_of(needed.columns)));
      if (job.operands[i].received) {
        copy(job.operands[i], i, operands,
             [](float& here, float& there) { std::memcpy(&here, &there, sizeof(here)); });
        account_.received_bytes += bytes_of(privates_[i]);
      }
    }
    account_.most_bytes = (std::max)(account_.most_bytes, sram_.bytes());
  }

  void send(const tile_job& job, addresses operands) {
    for (std::size_t i = 0; i < job.operands.size(); ++i) {
      if (job.operands[i].sent) {
        copy(job.operands[i], i, operands,
             [](float& here, float& there) { std::memcpy(&there, &here, sizeof(here)); });
        account_.sent_bytes += bytes_of(privates_[i]);
      }
    }
  }

  static std::int64_t bytes_of(const private_matrix& matrix) {
    return std::int64_t{matrix.rows()} * matrix.columns() * std::int64_t{sizeof(float)};
  }

  /// Calls `move` with each element on the tile and the same element on the device.
  template <typename Move>
  void copy(const tile_operand& operand, std::size_t i, addresses operands, const Move& move) {
    auto* const buffer = static_cast<float*>(operands[static_cast<std::size_t>(operand.operand)]);
    const region_of_operand& region = regions_[i];
    for (std::int32_t row = region.rows.begin; row < region.rows.end; ++row) {
      for (std::int32_t column = region.columns.begin; column < region.columns.end; ++column) {
        move(privates_[i](row - region.rows.begin, column - region.columns.begin),
             buffer[operand.matrix.index_of(row, column)]);
      }
    }
  }

  std::string family_of(std::size_t index) const {
    return std::string(plan_.codes[static_cast<std::size_t>(plan_.code_of_call[index])].family);
  }

  /// What a block computes is there in full, and nothing else.
  void check_job(const tile_job& job, std::size_t index) const {
    if (!sram_.margins_are_whole()) {
      throw error("The tile code of " + family_of(index) +
                  " wrote beside the operands of its block.");
    }
    for (std::size_t i = 0; i < job.operands.size(); ++i) {
      const private_matrix& matrix = privates_[i];
      for (std::int32_t r = 0; job.operands[i].sent && r < matrix.rows(); ++r) {
        for (std::int32_t c = 0; c < matrix.columns(); ++c) {
          if (tile_sram::is_poison(matrix(r, c))) {
            throw error("The tile code of " + family_of(index) +
                        " left an element of its block unwritten, or read beside its operands.");
          }
        }
      }
    }
  }

  program_plan_view plan_;
  std::vector<tile_jobs> jobs_;  ///< by code
  execution_table table_;
  std::int64_t tiles_;
  tile_account account_;
  tile_sram sram_;
  std::vector<region_of_operand> regions_;  ///< of the block at hand, by operand of its job
  std::vector<private_matrix> privates_;    ///< the same on the tile
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
