/// Object keys in order, in pieces that copies share: an edited copy costs what was edited, not what there is.
public struct OrderedKeys: RandomAccessCollection, Sendable {
    /// Keys that a piece is made with; it never has more than twice as many.
    private static let pieceSize = 512

    private var pieces: [[ObjectKey]] = []
    /// The position of each piece's first key, then the number of all keys.
    private var starts: [Int] = [0]
    /// Each piece's first key, side by side for searches.
    private var heads: [ObjectKey] = []

    public init() {}

    /// - Complexity: O(n)
    public init(_ keys: [ObjectKey]) {
        var at = 0
        while at < keys.count {
            let end = Swift.min(at + Self.pieceSize, keys.count)
            pieces.append(Array(keys[at..<end]))
            at = end
        }
        index()
    }

    private mutating func index() {
        starts.removeAll(keepingCapacity: true)
        heads.removeAll(keepingCapacity: true)
        var total = 0
        for piece in pieces {
            starts.append(total)
            heads.append(piece[0])
            total += piece.count
        }
        starts.append(total)
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { starts[pieces.count] }

    /// - Complexity: O(log n)
    public subscript(position: Int) -> ObjectKey {
        let piece = piece(of: position)
        return pieces[piece][position - starts[piece]]
    }

    private func piece(of position: Int) -> Int {
        precondition(position >= 0 && position < count, "index \(position) of \(count) keys")
        return starts.partitionIndex { $0 <= position } - 1
    }

    /// - Complexity: O(n)
    public var array: [ObjectKey] {
        var out: [ObjectKey] = []
        out.reserveCapacity(count)
        for piece in pieces { out += piece }
        return out
    }

    /// Calls `body` with each key and its position.
    func forEachPosition(_ body: (Int, ObjectKey) -> Void) {
        var i = 0
        for piece in pieces {
            for key in piece {
                body(i, key)
                i += 1
            }
        }
    }

    /// How many keys, from the front, meet the condition, which has to hold for a front part only.
    /// - Complexity: O(log n) calls.
    func partition(_ belongsBefore: (ObjectKey) -> Bool) -> Int {
        let piece = Swift.max(0, heads.partitionIndex(belongsBefore) - 1)
        guard piece < pieces.count else { return 0 }
        return starts[piece] + pieces[piece].partitionIndex(belongsBefore)
    }

    // MARK: Edits

    /// Without the keys at these positions, which rise. - Complexity: O(positions + n / 512).
    func removing(_ positions: [Int]) -> OrderedKeys {
        if positions.isEmpty { return self }
        var out = self
        var next = 0
        while next < positions.count {
            let number = piece(of: positions[next])
            let end = starts[number + 1]
            var kept: [ObjectKey] = []
            kept.reserveCapacity(pieces[number].count)
            var at = 0
            while next < positions.count, positions[next] < end {
                let local = positions[next] - starts[number]
                kept += pieces[number][at..<local]
                at = local + 1
                next += 1
            }
            kept += pieces[number][at...]
            out.pieces[number] = kept
        }
        out.pieces.removeAll { $0.isEmpty }
        out.settle()
        return out
    }

    /// With these keys, each before the key that is at its position now; positions rise.
    /// - Complexity: O(keys + n / 512).
    func inserting(_ keys: [(position: Int, key: ObjectKey)]) -> OrderedKeys {
        if keys.isEmpty { return self }
        if pieces.isEmpty { return OrderedKeys(keys.map { $0.key }) }
        var out: [[ObjectKey]] = []
        out.reserveCapacity(pieces.count + keys.count / Self.pieceSize + 1)
        var next = 0
        for (number, piece) in pieces.enumerated() {
            let isLast = number == pieces.count - 1
            let end = starts[number + 1]
            guard next < keys.count, isLast || keys[next].position < end else {
                out.append(piece)
                continue
            }
            var merged: [ObjectKey] = []
            var at = 0
            while next < keys.count, isLast || keys[next].position < end {
                let local = keys[next].position - starts[number]
                merged += piece[at..<local]
                merged.append(keys[next].key)
                at = local
                next += 1
            }
            merged += piece[at...]
            if merged.count <= 2 * Self.pieceSize {
                out.append(merged)
            } else {
                out += OrderedKeys(merged).pieces
            }
        }
        var made = OrderedKeys()
        made.pieces = out
        made.settle()
        return made
    }

    /// Returns a run of positions. - Complexity: O(length / 512).
    func slice(_ range: Range<Int>) -> OrderedKeys {
        if range.isEmpty { return OrderedKeys() }
        if range == 0..<count { return self }
        let first = piece(of: range.lowerBound)
        let last = piece(of: range.upperBound - 1)
        var out = OrderedKeys()
        for number in first...last {
            let low = Swift.max(range.lowerBound - starts[number], 0)
            let high = Swift.min(range.upperBound - starts[number], pieces[number].count)
            out.pieces.append(
                low == 0 && high == pieces[number].count ? pieces[number] : Array(pieces[number][low..<high])
            )
        }
        out.index()
        return out
    }

    /// After pieces have changed: many small ones are joined, so that there are never many more than needed.
    private mutating func settle() {
        index()
        if pieces.count > 16, pieces.count > 8 * (count / Self.pieceSize) { self = OrderedKeys(array) }
    }
}

extension OrderedKeys: Equatable {
    public static func == (a: OrderedKeys, b: OrderedKeys) -> Bool { a.count == b.count && a.elementsEqual(b) }
}
