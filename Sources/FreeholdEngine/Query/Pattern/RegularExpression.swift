/// A regular expression for `MATCHES`, which a whole string must match.
///
/// The language is ICU's, without the features that can't be matched in linear time or depend on the order of the alternatives. It has literals, `.`,
/// brackets with ranges and negation, `\d \w \s` and general categories, `^ $ \A \Z \z \b \B`, groups, `|`, `* + ? {m,n}` greedy or lazy, `(?i)`,
/// `(?s)`, `(?m)`, `\Q…\E`, and characters by number. Back references, lookaround, possessive repetitions, atomic groups and nested sets are
/// rejected.
///
/// - Complexity: a match takes O(bytes of the string × states). A pattern has at most `maximumStates` states.
struct RegularExpression: Sendable {
    static let maximumStates = 5_000

    enum Instruction: Sendable {
        case set(Int)
        case assertion(PatternAssertion)
        case jump(Int)
        case split(Int, Int)
        case match
    }

    private var program: [Instruction] = []
    private var sets: [ScalarSet] = []
    /// The number of written states, including those of empty repetitions.
    private var work = 0

    init(_ pattern: String, ignoresCase: Bool = false) throws(PatternError) {
        var parser = PatternParser(pattern, ignoresCase: ignoresCase)
        try append(try parser.parse())
        try emit(.match)
    }

    // MARK: Creation

    private mutating func emit(_ instruction: Instruction) throws(PatternError) {
        if program.count >= Self.maximumStates { throw Self.tooLarge }
        program.append(instruction)
    }

    private static let tooLarge = PatternError(
        message: "The pattern has more than \(maximumStates) states: counted repetitions multiply.",
        position: 0
    )

    private mutating func append(_ node: PatternNode) throws(PatternError) {
        work += 1
        if work > 10 * Self.maximumStates { throw Self.tooLarge }
        switch node {
        case .set(let set):
            sets.append(set)
            try emit(.set(sets.count - 1))
        case .assertion(let assertion): try emit(.assertion(assertion))
        case .sequence(let parts): for part in parts { try append(part) }
        case .choice(let branches):
            var ends: [Int] = []
            for (i, branch) in branches.enumerated() {
                if i == branches.count - 1 {
                    try append(branch)
                    break
                }
                let split = program.count
                try emit(.match)
                try append(branch)
                ends.append(program.count)
                try emit(.match)
                program[split] = .split(split + 1, program.count)
            }
            for end in ends { program[end] = .jump(program.count) }
        case .repetition(let inner, let least, let most):
            for _ in 0..<least { try append(inner) }
            guard let most else {
                let split = program.count
                try emit(.match)
                try append(inner)
                try emit(.jump(split))
                program[split] = .split(split + 1, program.count)
                return
            }
            var splits: [Int] = []
            for _ in least..<max(least, most) {
                splits.append(program.count)
                try emit(.match)
                try append(inner)
            }
            for split in splits { program[split] = .split(split + 1, program.count) }
        }
    }

    // MARK: Matching

    /// The surroundings of a position in the text.
    private struct Place {
        var isStart = true
        /// The scalar before the position.
        var previous: Unicode.Scalar = "\0"
        var followsWord = false
        /// The scalar after the position, or `nil` at the end.
        var next: Unicode.Scalar?
        /// The position of the first byte after `next`.
        var end = 0
    }

    /// Returns whether the whole text, in UTF-8, matches.
    func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        let n = program.count
        return withUnsafeTemporaryAllocation(of: Int32.self, capacity: 6 * n + 4) { room in
            let base = room.baseAddress!
            // Each set has its members in their order, and then for each state its position among the members.
            var now = StateSet(base, n)
            var then = StateSet(base + 2 * n, n)
            let stack = base + 4 * n
            base.initialize(repeating: 0, count: 6 * n + 4)
            var place = Place()
            (place.next, place.end) = Self.scalar(text, 0)
            add(0, to: &now, at: place, in: text, stack: stack)
            while let scalar = place.next, now.count > 0 {
                let at = place.end
                place.isStart = false
                place.previous = scalar
                if !Self.isMark(scalar) { place.followsWord = ScalarSet.Property.word.holds(scalar) }
                (place.next, place.end) = Self.scalar(text, at)
                then.count = 0
                for i in 0..<now.count {
                    let state = Int(now.members[i])
                    if case .set(let set) = program[state], sets[set].contains(scalar) {
                        add(state + 1, to: &then, at: place, in: text, stack: stack)
                    }
                }
                swap(&now, &then)
            }
            return place.next == nil && now.contains(Int32(n - 1))
        }
    }

    private struct StateSet {
        let members: UnsafeMutablePointer<Int32>
        let places: UnsafeMutablePointer<Int32>
        var count = 0

        init(_ room: UnsafeMutablePointer<Int32>, _ n: Int) {
            members = room
            places = room + n
        }

        func contains(_ state: Int32) -> Bool {
            let place = Int(places[Int(state)])
            return place < count && members[place] == state
        }

        mutating func insert(_ state: Int32) -> Bool {
            if contains(state) { return false }
            places[Int(state)] = Int32(count)
            members[count] = state
            count += 1
            return true
        }
    }

    /// Adds a state and all states that it leads to without consuming a scalar. Each state is added once, so the stack needs room for two entries for
    /// each state.
    private func add(
        _ start: Int,
        to states: inout StateSet,
        at place: Place,
        in text: UnsafeRawBufferPointer,
        stack: UnsafeMutablePointer<Int32>
    ) {
        stack[0] = Int32(start)
        var height = 1
        while height > 0 {
            height -= 1
            let state = stack[height]
            guard states.insert(state) else { continue }
            switch program[Int(state)] {
            case .set, .match: break
            case .jump(let target):
                stack[height] = Int32(target)
                height += 1
            case .split(let a, let b):
                stack[height] = Int32(b)
                stack[height + 1] = Int32(a)
                height += 2
            case .assertion(let assertion):
                guard Self.holds(assertion, at: place, in: text) else { continue }
                stack[height] = state + 1
                height += 1
            }
        }
    }

    private static func holds(
        _ assertion: PatternAssertion,
        at place: Place,
        in text: UnsafeRawBufferPointer
    ) -> Bool {
        switch assertion {
        case .start: return place.isStart
        case .end: return place.next == nil
        case .endOrLastLineEnd:
            guard let next = place.next else { return true }
            if !ScalarSet.isLineEnd(next) || isInLineEnd(place) { return false }
            return place.end == text.count
                || (next == "\r" && place.end + 1 == text.count && text[place.end] == UInt8(ascii: "\n"))
        case .lineStart:
            if place.isStart { return true }
            return place.next != nil && ScalarSet.isLineEnd(place.previous) && !isInLineEnd(place)
        case .lineEnd:
            guard let next = place.next else { return true }
            return ScalarSet.isLineEnd(next) && !isInLineEnd(place)
        case .wordBoundary: return isWordBoundary(place)
        case .noWordBoundary: return !isWordBoundary(place)
        }
    }

    /// Returns whether the position is between the CR and the LF of a line end.
    private static func isInLineEnd(_ place: Place) -> Bool {
        !place.isStart && place.previous == "\r" && place.next == "\n"
    }

    private static func isWordBoundary(_ place: Place) -> Bool {
        guard let next = place.next else { return place.followsWord }
        // Combining marks belong to the letter before them.
        return !isMark(next) && ScalarSet.Property.word.holds(next) != place.followsWord
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x80
            && (scalar.properties.isGraphemeExtend || scalar.properties.generalCategory == .format)
    }

    /// Returns the scalar at a byte, and the position after it. An ill-formed byte counts as one replacement character.
    @inline(__always)
    private static func scalar(_ text: UnsafeRawBufferPointer, _ at: Int) -> (Unicode.Scalar?, end: Int) {
        guard at < text.count else { return (nil, at) }
        let first = text[at]
        if first < 0x80 { return (Unicode.Scalar(first), at + 1) }
        let length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
        guard first >= 0xc2, at + length <= text.count else { return ("\u{fffd}", at + 1) }
        var value = UInt32(first) & (0x7f >> UInt32(length))
        for i in 1..<length {
            let byte = text[at + i]
            if byte & 0xc0 != 0x80 { return ("\u{fffd}", at + 1) }
            value = value << 6 | UInt32(byte & 0x3f)
        }
        guard let scalar = Unicode.Scalar(value) else { return ("\u{fffd}", at + 1) }
        return (scalar, at + length)
    }
}
