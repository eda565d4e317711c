// SPDX-License-Identifier: MIT
// The waits of a large program, those of some actions in each constant evaluation.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include <ipu_dsl/schedule/frozen.hpp>
#include <ipu_dsl/schedule/pieces/analysis_pieces.hpp>
#include <ipu_dsl/schedule/waits.hpp>

namespace ipu_dsl::pieces {

/// Of how many actions one constant evaluation collects the waits.
inline constexpr int collected_at_once = 4096;

/// See `waits_of`. `Proven` has the `rows` of a program and the tables of its proof
/// (`slots_in_pieces`).
template <typename Proven>
struct waits_in_pieces {
 private:
  static constexpr int actions = static_cast<int>(Proven::rows.actions.size());
  static constexpr int piece_size = at_once(collected_at_once, Proven::stages);
  static constexpr int count_of_pieces = pieces_of(actions, piece_size);

  static constexpr auto counts =
      freeze_list<static_cast<std::size_t>(Proven::rows.stages* action_kinds)>(
          counts_of_run(Proven::rows));
  static constexpr auto positions =
      freeze_list<static_cast<std::size_t>(actions)>(waiting::positions(Proven::rows));

  template <int Piece>
  static constexpr wait_list collect() {
    constexpr int first = Piece * piece_size;
    constexpr int last = first + piece_size < actions ? first + piece_size : actions;
    const auto read = Proven::slot_tables();
    return waiting::collect(read.input(), counts.view(), positions.view(), first, last);
  }

  template <int Piece>
  static constexpr std::size_t count_of = collect<Piece>().waits.size();

  /// The waits of some actions; where those of each begin is counted within the piece.
  template <std::size_t Waits>
  struct piece {
    frozen_list<int, static_cast<std::size_t>(piece_size)> begin;
    frozen_list<awaited_count, Waits> waits;

    constexpr explicit piece(const wait_list& made) : waits(freeze_list<Waits>(made.waits)) {
      for (std::size_t i = 0; i + 1 < made.begin.size(); ++i) {
        begin.elements[i] = made.begin.data()[i];
      }
    }
  };

  template <int Piece>
  static constexpr piece<count_of<Piece>> piece_of{collect<Piece>()};

  template <int... Piece>
  static constexpr std::size_t add_counts(std::integer_sequence<int, Piece...>) {
    return (std::size_t{0} + ... + count_of<Piece>);
  }

 public:
  static constexpr std::size_t count =
      add_counts(std::make_integer_sequence<int, count_of_pieces>());

 private:
  template <int Piece>
  static constexpr void append(int* begin, awaited_count* waits, int& collected) {
    constexpr int first = Piece * piece_size;
    constexpr int last = first + piece_size < actions ? first + piece_size : actions;
    const auto& from = piece_of<Piece>;
    for (int index = first; index < last; ++index) {
      begin[index] = from.begin.elements[index - first] + collected;
    }
    for (std::size_t i = 0; i < count_of<Piece>; ++i) {
      waits[collected++] = from.waits.elements[i];
    }
  }

 public:
  /// Enters where the waits of each action begin, [actions + 1], and the waits, [count].
  static constexpr void enter(int* begin, awaited_count* waits) {
    int collected = 0;
    [&]<int... Piece>(std::integer_sequence<int, Piece...>) {
      (append<Piece>(begin, waits, collected), ...);
    }(std::make_integer_sequence<int, count_of_pieces>());
    begin[actions] = collected;
  }
};

}  // namespace ipu_dsl::pieces
