/// Events in the order of their times. Events of one time are in the order in which they were added.
struct EventQueue<Event> {
    private var heap: [(time: Int64, number: UInt64, event: Event)] = []
    private var last: UInt64 = 0

    var nextTime: Int64? { heap.first?.time }

    private func isBefore(_ first: Int, _ second: Int) -> Bool {
        (heap[first].time, heap[first].number) < (heap[second].time, heap[second].number)
    }

    mutating func add(_ event: Event, at time: Int64) {
        last += 1
        heap.append((time, last, event))
        var index = heap.count - 1
        while index > 0, isBefore(index, (index - 1) / 2) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func removeFirst() -> (time: Int64, event: Event)? {
        guard !heap.isEmpty else { return nil }
        heap.swapAt(0, heap.count - 1)
        let first = heap.removeLast()
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && isBefore(child, least) {
                least = child
            }
            if least == index { break }
            heap.swapAt(index, least)
            index = least
        }
        return (first.time, first.event)
    }
}
