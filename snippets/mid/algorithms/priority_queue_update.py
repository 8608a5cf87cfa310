import heapq

heap, current = [], {}  # current: the newest priority of each name


def put(name, priority):
    current[name] = priority
    heapq.heappush(heap, (priority, name))


def pop():
    while True:
        priority, name = heapq.heappop(heap)
        if current.get(name) == priority:  # else it is an old entry
            del current[name]
            return name


put("a", 1)
put("b", 2)
put("a", 3)
print(pop(), pop(), len(heap))
