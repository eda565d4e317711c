// SPDX-License-Identifier: MIT
// What a race compares: ours, the same by other libraries, and what the machine can do at most.
#pragma once

namespace measure {

/// Something whose time is taken.
class contestant {
 public:
  contestant() = default;
  contestant(const contestant&) = delete;
  contestant& operator=(const contestant&) = delete;
  virtual ~contestant() = default;

  /// Does its work `times` times in a row, so that neither this call nor the clock is measured.
  virtual void run(int times) = 0;
};

/// The compiler must take all memory for read and written here.
inline void clobber_memory() {
  asm volatile("" ::: "memory");
}

/// A contestant from something to call.
template <typename Work>
class worker final : public contestant {
 public:
  explicit worker(const Work& work) : work_(work) {}

  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      work_();
      clobber_memory();
    }
  }

 private:
  Work work_;
};

}  // namespace measure
