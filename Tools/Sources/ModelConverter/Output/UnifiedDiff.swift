/// The difference of two texts in the format of `diff -u`.
package enum UnifiedDiff {
    /// The number of lines around a change.
    static let context = 3

    /// Returns the difference, which is empty if both texts are equal.
    package static func text(from old: [UInt8], to new: [UInt8], path: String) -> [UInt8] {
        let (a, b) = (lines(old), lines(new))
        let changes = changes(from: a, to: b)
        guard !changes.isEmpty else { return [] }
        var out = Array("--- a/\(path)\n+++ b/\(path)\n".utf8)
        var i = 0
        while i < changes.count {
            var last = i
            while last + 1 < changes.count,
                changes[last + 1].old.lowerBound - changes[last].old.upperBound <= 2 * context
            {
                last += 1
            }
            append(Array(changes[i...last]), from: a, to: b, to: &out)
            i = last + 1
        }
        return out
    }

    private typealias Change = (old: Range<Int>, new: Range<Int>)

    private static func append(
        _ changes: [Change],
        from a: [ArraySlice<UInt8>],
        to b: [ArraySlice<UInt8>],
        to out: inout [UInt8]
    ) {
        let before = min(context, changes[0].old.lowerBound)
        let after = min(context, a.count - changes.last!.old.upperBound)
        let old = (changes[0].old.lowerBound - before)..<(changes.last!.old.upperBound + after)
        let new = (changes[0].new.lowerBound - before)..<(changes.last!.new.upperBound + after)
        out += Array("@@ -\(place(old)) +\(place(new)) @@\n".utf8)
        var position = old.lowerBound
        func append(_ sign: Character, _ line: ArraySlice<UInt8>) {
            out += Array(String(sign).utf8) + line
            if line.last != 0x0A { out += Array("\n\\ No newline at end of file\n".utf8) }
        }
        for change in changes {
            for line in a[position..<change.old.lowerBound] { append(" ", line) }
            for line in a[change.old] { append("-", line) }
            for line in b[change.new] { append("+", line) }
            position = change.old.upperBound
        }
        for line in a[position..<old.upperBound] { append(" ", line) }
    }

    /// Returns the first line and the count. An empty range has the number of the line before it.
    private static func place(_ range: Range<Int>) -> String {
        range.count == 1
            ? "\(range.lowerBound + 1)" : "\(range.isEmpty ? range.lowerBound : range.lowerBound + 1),\(range.count)"
    }

    private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
            lines.append(bytes[start..<end])
            start = end
        }
        return lines
    }

    /// Returns the standard library's difference as ranges of lines.
    private static func changes(from a: [ArraySlice<UInt8>], to b: [ArraySlice<UInt8>]) -> [Change] {
        let difference = b.difference(from: a)
        let removed = Set(difference.removals.map(\.offset))
        let inserted = Set(difference.insertions.map(\.offset))
        var changes: [Change] = []
        var (i, j) = (0, 0)
        while i < a.count || j < b.count {
            let (oldStart, newStart) = (i, j)
            while removed.contains(i) { i += 1 }
            while inserted.contains(j) { j += 1 }
            if i > oldStart || j > newStart {
                changes.append((oldStart..<i, newStart..<j))
            } else {
                i += 1
                j += 1
            }
        }
        return changes
    }
}

extension CollectionDifference.Change {
    fileprivate var offset: Int {
        switch self {
        case .insert(let offset, _, _), .remove(let offset, _, _): offset
        }
    }
}
