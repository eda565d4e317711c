// SPDX-License-Identifier: MIT
// One run of a program whose devices hand over by messages through channels of bounded capacity.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/schedule/run_input.hpp>
#include <ipu_dsl/schedule/step_table.hpp>
#include <ipu_dsl/study/channels/channel_plan.hpp>

namespace ipu_dsl {

/// Devices send after they worked and receive before, in the order of their rows, and do nothing
/// else meanwhile. A send ends when the channel has room, a receive when the message is there, a
/// hop later; with capacity 0 both end when the two meet. A network of this kind reaches the same
/// end whatever the times, so that one run tells whether it gets stuck; more capacity never makes
/// it later. The update of a copy of the weights waits for the backwards of all copies, without a
/// channel.
class channel_run {
 public:
  /// All of it must outlive the run. `duration` is that of `durations`.
  constexpr channel_run(const program_view& rows, const channel_plan& plan,
                        const list<std::int64_t>& duration, std::int64_t hop, int capacity)
      : rows_(rows),
        plan_(plan),
        actions_(rows.actions.data()),
        duration_(duration.data()),
        messages_(plan.messages.data()),
        queue_(plan.queue.data()),
        queue_begin_(plan.queue_begin.data()),
        hop_(hop),
        capacity_(capacity) {
    const int channels = static_cast<int>(plan.source.size());
    const int messages = static_cast<int>(plan.messages.size());
    std::int64_t* const times =
        reserve_zeros(times_, rows.devices + 2 * messages + rows.stages + 1);
    time_ = times;
    sent_at_ = times + rows.devices;
    received_at_ = sent_at_ + messages;
    backwards_end_ = received_at_ + messages;
    int* const numbers = reserve_zeros(numbers_, 4 * rows.devices + 2 * channels + rows.stages + 1);
    cursor_ = numbers;
    offered_ = numbers + rows.devices;
    awake_ = offered_ + rows.devices;
    is_awake_ = awake_ + rows.devices;
    sent_ = is_awake_ + rows.devices;
    received_ = sent_ + channels;
    backwards_done_ = received_ + channels;
    for (int device = rows.devices - 1; device >= 0; --device) {
      cursor_[device] = plan.step_begin.data()[device];
      wake(device);
    }
  }

  channel_run(const channel_run&) = delete;
  channel_run& operator=(const channel_run&) = delete;

  /// Runs until nothing can run any more.
  constexpr void advance() {
    while (awake_count_ > 0) {
      --awake_count_;
      const int device = awake_[awake_count_];
      is_awake_[device] = 0;
      advance(device);
    }
  }

  constexpr bool complete() const {
    for (int device = 0; device < rows_.devices; ++device) {
      if (stuck(device)) {
        return false;
      }
    }
    return true;
  }

  /// Whether a device is not through.
  constexpr bool stuck(int device) const {
    return cursor_[device] < plan_.step_begin.data()[device + 1];
  }

  /// What a stuck device would do next.
  constexpr channel_step next_step(int device) const { return plan_.steps.data()[cursor_[device]]; }

  /// The message that a stuck device would have to receive before the one it wants, because it is
  /// sent before; or -1.
  constexpr int message_in_front(int device) const {
    const channel_step step = next_step(device);
    if (step.what != channel_step::kind::receive) {
      return -1;
    }
    const int channel = messages_[step.number].channel;
    const int front = queue_[queue_begin_[channel] + received_[channel]];
    return front == step.number ? -1 : front;
  }

  /// End of the last action or send.
  constexpr std::int64_t makespan() const {
    std::int64_t last = 0;
    for (int device = 0; device < rows_.devices; ++device) {
      last = last < time_[device] ? time_[device] : last;
    }
    return last;
  }

 private:
  constexpr void wake(int device) {
    if (is_awake_[device] == 0) {
      is_awake_[device] = 1;
      awake_[awake_count_] = device;
      ++awake_count_;
    }
  }

  /// Runs a device until it is through or waits.
  constexpr void advance(int device) {
    const channel_step* const steps = plan_.steps.data();
    const int end = plan_.step_begin.data()[device + 1];
    int index = cursor_[device];
    std::int64_t time = time_[device];
    for (; index < end; ++index) {
      const channel_step& step = steps[index];
      const bool done = step.what == channel_step::kind::work      ? work(step.number, time)
                        : step.what == channel_step::kind::receive ? receive(step.number, time)
                        : capacity_ == 0                           ? meet(device, step.number, time)
                                                                   : send(step.number, time);
      if (!done) {
        break;
      }
    }
    cursor_[device] = index;
    time_[device] = time;
  }

  constexpr bool receive(int number, std::int64_t& time) {
    const int channel = messages_[number].channel;
    const int place = queue_begin_[channel] + received_[channel];
    if (received_[channel] == sent_[channel] || queue_[place] != number) {
      return false;
    }
    const std::int64_t there = sent_at_[place] + (capacity_ == 0 ? 0 : hop_);
    time = time < there ? there : time;
    received_at_[place] = time;
    // Without room between them the message only leaves now.
    time += capacity_ == 0 ? hop_ : 0;
    ++received_[channel];
    wake(plan_.source.data()[channel]);
    return true;
  }

  constexpr bool send(int number, std::int64_t& time) {
    const int channel = messages_[number].channel;
    const int sent = sent_[channel];
    if (sent - received_[channel] >= capacity_) {
      return false;
    }
    const int place = queue_begin_[channel] + sent;
    if (sent >= capacity_) {
      const std::int64_t room = received_at_[place - capacity_];
      time = time < room ? room : time;
    }
    sent_at_[place] = time;
    sent_[channel] = sent + 1;
    wake(plan_.destination.data()[channel]);
    return true;
  }

  /// A send without room: offers the message, then waits until it was taken.
  constexpr bool meet(int device, int number, std::int64_t& time) {
    const int channel = messages_[number].channel;
    if (offered_[device] == 0) {
      sent_at_[queue_begin_[channel] + sent_[channel]] = time;
      ++sent_[channel];
      offered_[device] = 1;
      wake(plan_.destination.data()[channel]);
    }
    if (received_[channel] < sent_[channel]) {
      return false;
    }
    time = received_at_[queue_begin_[channel] + sent_[channel] - 1];
    offered_[device] = 0;
    return true;
  }

  constexpr bool work(int index, std::int64_t& time) {
    const action& what = actions_[index];
    const bool copied = rows_.weights.copies > 1;
    if (copied && what.kind == action_kind::update && !copies_are_through(what.stage, time)) {
      return false;
    }
    time += duration_[what.stage * action_kinds + static_cast<int>(what.kind)];
    if (copied && ends_backward[static_cast<int>(what.kind)]) {
      note_backward(what.stage, time);
    }
    return true;
  }

  /// The update of another copy may wait for this.
  constexpr void note_backward(int stage, std::int64_t end) {
    ++backwards_done_[stage];
    backwards_end_[stage] = end;
    const int length = rows_.stages / rows_.weights.copies;
    for (int twin = stage % length; twin < rows_.stages; twin += length) {
      wake(rows_.device_of_stage.data()[twin]);
    }
  }

  /// Whether the other copies of a stage's weights have all of their gradients; then `time` is no
  /// earlier than that.
  constexpr bool copies_are_through(int stage, std::int64_t& time) const {
    const int length = rows_.stages / rows_.weights.copies;
    std::int64_t end = time;
    for (int twin = stage % length; twin < rows_.stages; twin += length) {
      if (twin != stage && backwards_done_[twin] < rows_.micro_batches) {
        return false;
      }
      end = twin != stage && end < backwards_end_[twin] ? backwards_end_[twin] : end;
    }
    time = end;
    return true;
  }

  const program_view& rows_;
  const channel_plan& plan_;
  const action* actions_;
  const std::int64_t* duration_;
  const message* messages_;
  const int* queue_;
  const int* queue_begin_;
  std::int64_t hop_;
  int capacity_;

  list<std::int64_t> times_;
  list<int> numbers_;
  std::int64_t* time_ = nullptr;           // [devices]
  std::int64_t* sent_at_ = nullptr;        // [messages] by place in queue
  std::int64_t* received_at_ = nullptr;    // [messages] by place in queue
  std::int64_t* backwards_end_ = nullptr;  // [stages]
  int* cursor_ = nullptr;                  // [devices] step
  int* offered_ = nullptr;                 // [devices] whether a send without room is under way
  int* awake_ = nullptr;                   // [devices] that may be able to go on
  int* is_awake_ = nullptr;                // [devices]
  int* sent_ = nullptr;                    // [channels]
  int* received_ = nullptr;                // [channels]
  int* backwards_done_ = nullptr;          // [stages], counted with several copies alone
  int awake_count_ = 0;
};

}  // namespace ipu_dsl
