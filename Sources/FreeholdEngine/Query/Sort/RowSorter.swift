/// A sorter of objects by the numbers that sort columns return. It uses a radix sort by one number, and then sorts each group of equal numbers by the
/// next number.
final class RowSorter {
    struct Entry {
        var number: UInt64
        var key: Int64
    }

    private let columns: [SortColumn]
    private var rows: UnsafeMutablePointer<Entry>
    private var spare: UnsafeMutablePointer<Entry>
    private var capacity = 0

    /// - Parameter countsNoLink: whether values behind a null link count as null. Otherwise they follow all other values.
    init(view: DataView, sort: [SortKey], countsNoLink: Bool = false) {
        columns = sort.map { SortColumn($0, in: view, countsNoLink: countsNoLink) }
        rows = .allocate(capacity: 0)
        spare = .allocate(capacity: 0)
    }

    deinit {
        rows.deallocate()
        spare.deallocate()
    }

    /// Returns the first `limit` objects in order. The sort is stable.
    func sorted(_ source: RowSource, limit: Int?) -> [ObjectKey] {
        if limit == 0 { return [] }
        let keys: [Int64]
        if let limit, !columns[0].isRanked(1) {
            keys = best(source, limit)
        } else {
            keys = source.keys().map { $0.raw }
        }
        reserve(keys.count)
        for i in 0..<keys.count { rows[i] = Entry(number: 0, key: keys[i]) }
        sort(keys.count)
        if WorkLimit.hasCutQueries { return [] }
        let n = min(limit ?? .max, keys.count)
        return [ObjectKey](unsafeUninitializedCapacity: n) { out, count in
            for i in 0..<n { (out.baseAddress! + i).initialize(to: ObjectKey(rows[i].key)) }
            count = n
        }
    }

    /// Returns a superset of the first `limit` objects, in the source's order: the objects whose prefix is at most the `limit`-th least prefix.
    private func best(_ source: RowSource, _ limit: Int) -> [Int64] {
        let column = columns[0]
        var kept: [Entry] = []
        var threshold = UInt64.max
        var room = max(1024, limit > .max / 4 ? .max : limit * 4)
        source.forEach { key in
            let number = column.prefix(key.raw)
            if number > threshold { return }
            kept.append(Entry(number: number, key: key.raw))
            if kept.count >= room {
                threshold = Self.nth(kept.map { $0.number }, limit)
                kept.removeAll { $0.number > threshold }
                room = max(room, kept.count * 2)
            }
        }
        if kept.count > limit {
            threshold = Self.nth(kept.map { $0.number }, limit)
            kept.removeAll { $0.number > threshold }
        }
        return kept.map { $0.key }
    }

    /// Returns the n-th least number, counted from 1.
    private static func nth(_ numbers: [UInt64], _ n: Int) -> UInt64 {
        numbers.count < n ? .max : numbers.sorted()[n - 1]
    }

    private func reserve(_ n: Int) {
        guard n > capacity else { return }
        rows.deallocate()
        spare.deallocate()
        rows = .allocate(capacity: n)
        spare = .allocate(capacity: n)
        capacity = n
    }

    private struct Task {
        var low: Int
        var high: Int
        var column: Int
        var chunk: Int
    }

    private func sort(_ n: Int) {
        var tasks = [Task(low: 0, high: n, column: 0, chunk: columns[0].firstChunk)]
        while let task = tasks.popLast() {
            let (low, high) = (task.low, task.high)
            guard high - low > 1 else { continue }
            if WorkLimit.cutsHere { return }
            number(task)
            sortByNumber(from: low, to: high)
            var start = low
            while start < high {
                let number = rows[start].number
                var end = start + 1
                while end < high, rows[end].number == number { end += 1 }
                if end - start > 1 {
                    if let chunk = columns[task.column].chunk(after: task.chunk, number) {
                        tasks.append(Task(low: start, high: end, column: task.column, chunk: chunk))
                    } else if task.column + 1 < columns.count {
                        let next = task.column + 1
                        tasks.append(Task(low: start, high: end, column: next, chunk: columns[next].firstChunk))
                    }
                }
                start = end
            }
        }
    }

    private func number(_ task: Task) {
        let column = columns[task.column]
        guard column.isRanked(task.chunk) else {
            for start in stride(from: task.low, to: task.high, by: 1024) {
                if WorkLimit.cutsHere { return }
                let end = min(start + 1024, task.high)
                for i in start..<end { rows[i].number = column.number(rows[i].key, chunk: task.chunk) }
            }
            return
        }
        let values = (task.low..<task.high).map { column.value(rows[$0].key) }
        let order = values.indices.sorted { Value.compare(values[$0], with: values[$1]) < 0 }
        var rank: UInt64 = 0
        for (i, at) in order.enumerated() {
            if i > 0, Value.compare(values[order[i - 1]], with: values[at]) != 0 { rank += 1 }
            rows[task.low + at].number = column.ascending ? rank : ~rank
        }
    }

    /// Sorts rows by their numbers. The sort is stable.
    private func sortByNumber(from low: Int, to high: Int) {
        let n = high - low
        let p = rows + low
        if n <= 32 {
            for i in 1..<n {
                let entry = p[i]
                var j = i
                while j > 0, p[j - 1].number > entry.number {
                    p[j] = p[j - 1]
                    j -= 1
                }
                p[j] = entry
            }
            return
        }
        var least = UInt64.max
        var greatest: UInt64 = 0
        for i in 0..<n {
            least = min(least, p[i].number)
            greatest = max(greatest, p[i].number)
        }
        if least == greatest { return }
        let bits = 64 - (greatest - least).leadingZeroBitCount
        if n < 512, bits > 16 {
            mergeSort(p, spare: spare + low, count: n)
            return
        }
        let passes = (bits + 7) / 8
        let digit = (bits + passes - 1) / passes
        var from = p
        var to = spare + low
        var counts = [Int](repeating: 0, count: 1 << digit)
        let mask = UInt64(1 << digit - 1)
        for pass in 0..<passes {
            let shift = UInt64(pass * digit)
            counts.withUnsafeMutableBufferPointer { counts in
                let c = counts.baseAddress!
                c.update(repeating: 0, count: counts.count)
                for i in 0..<n { c[Int(truncatingIfNeeded: (from[i].number &- least) >> shift & mask)] &+= 1 }
                var total = 0
                for d in 0..<counts.count {
                    let count = c[d]
                    c[d] = total
                    total &+= count
                }
                for i in 0..<n {
                    let d = Int(truncatingIfNeeded: (from[i].number &- least) >> shift & mask)
                    to[c[d]] = from[i]
                    c[d] &+= 1
                }
            }
            swap(&from, &to)
        }
        if from != p { p.update(from: from, count: n) }
    }

    private func mergeSort(_ p: UnsafeMutablePointer<Entry>, spare: UnsafeMutablePointer<Entry>, count n: Int) {
        var width = 1
        var from = p
        var to = spare
        while width < n {
            var start = 0
            while start < n {
                let middle = min(start + width, n)
                let end = min(start + 2 * width, n)
                var a = start
                var b = middle
                for i in start..<end {
                    if a < middle, b >= end || from[a].number <= from[b].number {
                        to[i] = from[a]
                        a += 1
                    } else {
                        to[i] = from[b]
                        b += 1
                    }
                }
                start = end
            }
            swap(&from, &to)
            width *= 2
        }
        if from != p { p.update(from: from, count: n) }
    }
}
