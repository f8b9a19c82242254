/// Object keys in order, in pieces that copies share. The cost of an edit of a copy depends on the edit and not on the number of keys.
public struct OrderedKeys: RandomAccessCollection, Sendable {
    /// The number of keys in a new piece. A piece has at most twice this number.
    private static let pieceSize = 512

    private var pieces: [[ObjectKey]] = []
    /// The position of each piece's first key, followed by the number of all keys.
    private var starts: [Int] = [0]
    /// The first key of each piece, for searches.
    private var heads: [ObjectKey] = []

    public init() {}

    /// Creates a collection of keys.
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

    /// The keys as an array.
    /// - Complexity: O(n)
    public var array: [ObjectKey] {
        var out: [ObjectKey] = []
        out.reserveCapacity(count)
        for piece in pieces { out += piece }
        return out
    }

    /// Calls `body` with each position and its key.
    func forEachPosition(_ body: (Int, ObjectKey) -> Void) {
        var i = 0
        for piece in pieces {
            for key in piece {
                body(i, key)
                i += 1
            }
        }
    }

    /// Returns the number of keys at the front that meet the condition. The condition must hold only for a front part.
    /// - Complexity: O(log n) calls.
    func partition(_ belongsBefore: (ObjectKey) -> Bool) -> Int {
        let piece = Swift.max(0, heads.partitionIndex(belongsBefore) - 1)
        guard piece < pieces.count else { return 0 }
        return starts[piece] + pieces[piece].partitionIndex(belongsBefore)
    }

    // MARK: Edits

    /// Returns the keys without those at these positions, which are in ascending order.
    /// - Complexity: O(positions + n / 512).
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

    /// Returns the keys with these keys inserted, each before the key that is now at its position. Positions are in ascending order.
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

    /// Returns the keys in a range of positions.
    /// - Complexity: O(length / 512).
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

    /// Updates the positions after a change of pieces. Many small pieces are merged, so that the number of pieces remains small.
    private mutating func settle() {
        index()
        if pieces.count > 16, pieces.count > 8 * (count / Self.pieceSize) { self = OrderedKeys(array) }
    }
}

extension OrderedKeys: Equatable {
    public static func == (a: OrderedKeys, b: OrderedKeys) -> Bool { a.count == b.count && a.elementsEqual(b) }
}
