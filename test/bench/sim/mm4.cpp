// M/M/4 with an age and a depth rule: events in a priority queue, exponentials by logarithm.
// Usage: mm4 ARRIVALS SEED. Prints seconds and the number turned away.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <queue>
#include <random>
#include <vector>

struct Event {
  double at;
  std::uint64_t order;
  bool isArrival;
  bool operator<(const Event &other) const {
    return at != other.at ? at > other.at : order > other.order;
  }
};

int main(int argc, char **argv) {
  const long arrivals = argc > 1 ? std::atol(argv[1]) : 1000000;
  std::mt19937_64 random(argc > 2 ? std::atol(argv[2]) : 1);
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto exponential = [&](double mean) { return -std::log(1 - uniform(random)) * mean; };
  const std::clock_t start = std::clock();

  std::priority_queue<Event> events;
  std::deque<double> waiting;
  std::uint64_t order = 0;
  long left = arrivals, rejected = 0;
  int leased = 0;
  events.push({exponential(1.25), order++, true});
  while (!events.empty()) {
    const Event event = events.top();
    events.pop();
    if (event.isArrival) {
      if (--left > 0) events.push({event.at + exponential(1.25), order++, true});
      const bool tooOld = !waiting.empty() && event.at - waiting.front() > 10;
      if (tooOld || (leased == 4 && waiting.size() > 8)) {
        rejected++;
      } else if (leased < 4) {
        leased++;
        events.push({event.at + exponential(4), order++, false});
      } else {
        waiting.push_back(event.at);
      }
    } else if (waiting.empty()) {
      leased--;
    } else {
      waiting.pop_front();
      events.push({event.at + exponential(4), order++, false});
    }
  }
  const double took = double(std::clock() - start) / CLOCKS_PER_SEC;
  std::printf("%.6f %ld\n", took, rejected);
}
