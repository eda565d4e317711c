// SPDX-License-Identifier: MIT
// What devices send each other if they hand over by messages, and the order in which each sends,
// receives and works.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/schedule/dependences.hpp>

namespace ipu_dsl {

/// How many channels lead from one device to another. A channel hands over in the order of sending.
enum class channel_sharing : std::uint8_t {
  by_kind,  ///< one for activations, one for gradients
  by_pair,  ///< one for both
};

/// What one action hands to one stage on another device, whatever the number of edges between them.
struct message {
  int channel = 0;
  int writer = 0;  ///< action index
  int reader = 0;  ///< action index of the first action of the stage that reads it
};

/// One thing a device does after the other.
struct channel_step {
  enum class kind : std::uint8_t { receive, work, send };

  kind what = kind::work;
  int number = 0;  ///< of a message or of an action
};

/// The messages of a program and the steps of its devices: each receives before it works and sends
/// after it, in the order of its row; joined actions receive and send together.
struct channel_plan {
  list<message> messages;      ///< in the order of sending, device after device
  list<channel_step> steps;    ///< device after device
  list<int> step_begin;        ///< [devices + 1], into steps
  list<int> source;            ///< [channels] device
  list<int> destination;       ///< [channels] device
  list<int> queue;             ///< [messages] message numbers by channel in the order of sending
  list<int> queue_begin = {};  ///< [channels + 1], into queue
};

namespace channels {

/// Which step of another device reads what a step writes.
struct route {
  int writer_row = 0;  ///< role row
  int reader_row = 0;  ///< role row of the first reader of its stage
};

/// Routes by writer row, then by reading stage.
constexpr bool comes_before(const route& left, const route& right) {
  return left.writer_row < right.writer_row ||
         (left.writer_row == right.writer_row && left.reader_row < right.reader_row);
}

/// Every pair of a writing step and a reading stage on another device, sorted.
constexpr list<route> find_routes(const program_view& rows, const dependences& waits) {
  list<route> routes;
  const int* const device = rows.device_of_stage.data();
  for (int reader_row = 0; reader_row < rows.stages * step_roles; ++reader_row) {
    for (int k = waits.read.first.data()[reader_row]; k != 0; k = waits.read.next.data()[k]) {
      const route found = {waits.read.value.data()[k], reader_row};
      bool known = device[found.writer_row / step_roles] == device[reader_row / step_roles];
      // Reader rows ascend, so that the first one of a stage is its first reader.
      for (const route& other : routes) {
        known = known || (other.writer_row == found.writer_row &&
                          other.reader_row / step_roles == reader_row / step_roles);
      }
      if (known) {
        continue;
      }
      routes.push_back(found);
      for (std::size_t i = routes.size() - 1; i > 0 && comes_before(found, routes[i - 1]); --i) {
        routes[i] = routes[i - 1];
        routes[i - 1] = found;
      }
    }
  }
  return routes;
}

/// Numbers the channels as they are met.
class channel_numbers {
 public:
  constexpr channel_numbers(const program_view& rows, channel_sharing sharing, channel_plan& plan)
      : rows_(rows), sharing_(sharing), plan_(plan), number_(2 * rows.devices * rows.devices, -1) {}

  constexpr int of(const route& way) {
    const int source = rows_.device_of_stage.data()[way.writer_row / step_roles];
    const int destination = rows_.device_of_stage.data()[way.reader_row / step_roles];
    const bool backward =
        way.writer_row % step_roles >= static_cast<int>(step_role::backward_begin);
    const int kind = backward && sharing_ == channel_sharing::by_kind ? 1 : 0;
    int& number = number_.data()[2 * (source * rows_.devices + destination) + kind];
    if (number < 0) {
      number = static_cast<int>(plan_.source.size());
      plan_.source.push_back(source);
      plan_.destination.push_back(destination);
    }
    return number;
  }

 private:
  const program_view& rows_;
  channel_sharing sharing_;
  channel_plan& plan_;
  list<int> number_;  // [devices x devices x 2]
};

/// Appends the messages of every action.
constexpr void add_messages(const program_view& rows, const step_table& steps,
                            const list<route>& routes, channel_sharing sharing,
                            channel_plan& plan) {
  channel_numbers numbers(rows, sharing, plan);
  const int route_count = static_cast<int>(routes.size());
  list<int> channel_of_route;
  // [role rows + 1]: where the routes of a row begin.
  list<int> first_route((rows.stages * step_roles) + 1, 0);
  for (const route& way : routes) {
    channel_of_route.push_back(numbers.of(way));
    ++first_route.data()[way.writer_row + 1];
  }
  for (std::size_t row = 1; row < first_route.size(); ++row) {
    first_route[row] += first_route[row - 1];
  }
  const route* const ways = routes.data();
  const int* const by_micro_batch = steps.by_micro_batch.data();
  const int* const begin = first_route.data();
  plan.messages.reserve(route_count * rows.micro_batches);
  int index = 0;
  for (const action& what : rows.actions) {
    const int row =
        what.stage * step_roles + static_cast<int>(first_role[static_cast<int>(what.kind)]);
    const int end = uses_edges(what.kind) ? begin[row + 1] : 0;
    for (int way = begin[row]; way < end; ++way) {
      const int reader =
          by_micro_batch[ways[way].reader_row * rows.micro_batches + what.micro_batch];
      if (reader != 0) {
        plan.messages.push_back({channel_of_route.data()[way], index, reader - 1});
      }
    }
    ++index;
  }
}

/// Sorts the messages by channel; within one they stay in the order of sending.
constexpr void add_queues(channel_plan& plan) {
  const int count = static_cast<int>(plan.messages.size());
  list<int> next(plan.source.size() + 1, 0);
  for (const message& sent : plan.messages) {
    ++next.data()[sent.channel + 1];
  }
  for (std::size_t channel = 1; channel < next.size(); ++channel) {
    next[channel] += next[channel - 1];
  }
  plan.queue_begin = next;
  plan.queue.resize(plan.messages.size(), 0);
  int* const queue = plan.queue.data();
  int* const place = next.data();
  const message* const messages = plan.messages.data();
  for (int number = 0; number < count; ++number) {
    queue[place[messages[number].channel]++] = number;
  }
}

/// The messages of each action, chained through `next`: numbers count from 1, 0 ends a chain.
struct message_chains {
  list<int> numbers;
  int* received = nullptr;       // [actions] first message that an action reads
  int* sent = nullptr;           // [actions] first message that it writes
  int* next_received = nullptr;  // [messages + 1]
  int* next_sent = nullptr;      // [messages + 1]

  constexpr message_chains(const channel_plan& plan, int actions) {
    const int count = static_cast<int>(plan.messages.size());
    received = reserve_zeros(numbers, 2 * actions + 2 * count + 2);
    sent = received + actions;
    next_received = sent + actions;
    next_sent = next_received + count + 1;
    const message* const messages = plan.messages.data();
    // Backwards, because each goes to the front.
    for (int number = count; number > 0; --number) {
      int& received_first = received[messages[number - 1].reader];
      next_received[number] = received_first;
      received_first = number;
      int& sent_first = sent[messages[number - 1].writer];
      next_sent[number] = sent_first;
      sent_first = number;
    }
  }

  message_chains(const message_chains&) = delete;
  message_chains& operator=(const message_chains&) = delete;
};

/// Writes the steps of the joined actions [first, last], or of one action, from `next` on; returns
/// where they end.
constexpr channel_step* write_steps(const message_chains& chains, int first, int last,
                                    channel_step* next) {
  using kind = channel_step::kind;
  const channel_step* const begin = next;
  for (int index = first; index <= last; ++index) {
    for (int number = chains.received[index]; number != 0; number = chains.next_received[number]) {
      // Of the messages for one step, those of one channel come in the order of sending.
      channel_step* place = next++;
      for (; place != begin && place[-1].number > number - 1; --place) {
        *place = place[-1];
      }
      *place = {kind::receive, number - 1};
    }
  }
  for (int index = first; index <= last; ++index) {
    *next++ = {kind::work, index};
  }
  for (int index = first; index <= last; ++index) {
    for (int number = chains.sent[index]; number != 0; number = chains.next_sent[number]) {
      *next++ = {kind::send, number - 1};
    }
  }
  return next;
}

}  // namespace channels

/// The channels of a program whose actions are each in a row once, as the proof sees to.
constexpr channel_plan plan_channels(const program_view& rows, const stage_graph_view& graph,
                                     channel_sharing sharing) {
  const step_table steps = index_steps(rows);
  const dependences waits = sort_edges(graph, rows, steps);
  channel_plan plan;
  channels::add_messages(rows, steps, channels::find_routes(rows, waits), sharing, plan);
  channels::add_queues(plan);
  const channels::message_chains chains(plan, static_cast<int>(rows.actions.size()));
  plan.steps.resize(rows.actions.size() + 2 * plan.messages.size());
  const action* const actions = rows.actions.data();
  channel_step* const steps_begin = plan.steps.data();
  channel_step* next = steps_begin;
  plan.step_begin.push_back(0);
  for (int device = 0; device < rows.devices; ++device) {
    const int end = rows.row_begin.data()[device + 1];
    for (int first = rows.row_begin.data()[device]; first < end; ++first) {
      int last = first;
      while (actions[last].joined && last + 1 < end) {
        ++last;
      }
      next = channels::write_steps(chains, first, last, next);
      first = last;
    }
    plan.step_begin.push_back(static_cast<int>(next - steps_begin));
  }
  return plan;
}

}  // namespace ipu_dsl
