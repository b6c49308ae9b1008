"""M/M/4 with an age and a depth rule, on heapq. Usage: mm4.py ARRIVALS SEED.

Prints seconds and the number turned away."""
import random
import sys
import time
from collections import deque
from heapq import heappop, heappush


def run(arrivals, seed):
    exponential = random.Random(seed).expovariate
    events, waiting = [], deque()
    order = leased = rejected = 0
    heappush(events, (exponential(0.8), order, True))
    while events:
        now, _, is_arrival = heappop(events)
        order += 1
        if is_arrival:
            arrivals -= 1
            if arrivals > 0:
                heappush(events, (now + exponential(0.8), order, True))
                order += 1
            too_old = waiting and now - waiting[0] > 10
            if too_old or (leased == 4 and len(waiting) > 8):
                rejected += 1
            elif leased < 4:
                leased += 1
                heappush(events, (now + exponential(0.25), order, False))
            else:
                waiting.append(now)
        elif waiting:
            waiting.popleft()
            heappush(events, (now + exponential(0.25), order, False))
        else:
            leased -= 1
    return rejected


start = time.process_time()
REJECTED = run(int(sys.argv[1]), int(sys.argv[2]))
print(f"{time.process_time() - start:.6f} {REJECTED}")
