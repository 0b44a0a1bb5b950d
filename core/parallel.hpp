// Threads for loops over independent tasks, with a caller that stays awake to report and to stop.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace cf {

// Called about twenty times a second with the number of finished tasks; may throw to stop.
using Poll = std::function<void(std::int64_t)>;

// Thrown inside a task that notices the stop flag.
struct Stopped : std::exception {};

// Runs task(index, worker, stop) for every index below count. Tasks are handed out in order; a
// task may look at `stop` and throw Stopped. The first exception, from a task or from the poll, is
// rethrown here once every thread has ended.
template <class Task>
void parallel_for(std::int64_t count, int n_threads, const Poll& poll, Task task) {
  std::atomic<std::int64_t> next{0};
  std::atomic<std::int64_t> done{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::condition_variable finished;
  std::exception_ptr error;
  int running = 0;

  const auto fail = [&](std::exception_ptr e) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (!error) error = e;
    stop.store(true);
  };
  const auto work = [&](int worker) {
    try {
      for (std::int64_t i; !stop.load() && (i = next.fetch_add(1)) < count;) {
        task(i, worker, stop);
        done.fetch_add(1);
      }
    } catch (const Stopped&) {
    } catch (...) {
      fail(std::current_exception());
    }
    const std::lock_guard<std::mutex> lock(mutex);
    --running;
    finished.notify_all();
  };

  std::vector<std::thread> threads;
  const auto wanted = static_cast<int>(std::min<std::int64_t>(count, std::max(1, n_threads)));
  for (int w = 0; w < wanted; ++w) {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      ++running;
    }
    try {
      threads.emplace_back(work, w);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      --running;
      if (threads.empty()) throw;  // not one thread to be had
      break;                       // fewer threads do the same work
    }
  }
  for (;;) {
    {
      std::unique_lock<std::mutex> lock(mutex);
      finished.wait_for(lock, std::chrono::milliseconds(50), [&] { return running == 0; });
      if (running == 0) break;
    }
    if (!stop.load()) {
      try {
        poll(done.load());
      } catch (...) {
        fail(std::current_exception());
      }
    }
  }
  for (auto& thread : threads) thread.join();
  if (error) std::rethrow_exception(error);
  poll(done.load());
}

}  // namespace cf
