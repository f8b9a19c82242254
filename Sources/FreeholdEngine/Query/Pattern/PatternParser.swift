/// The reason why a regular expression can't be used.
struct PatternError: Error {
    let message: String
    /// The position in characters of the pattern, from 0.
    let position: Int
}

/// A node of a parsed regular expression.
indirect enum PatternNode {
    case set(ScalarSet)
    case assertion(PatternAssertion)
    case sequence([PatternNode])
    case choice([PatternNode])
    case repetition(PatternNode, least: Int, most: Int?)
}

/// A condition on a position between two scalars.
enum PatternAssertion: UInt8 {
    case start, end, lineStart, lineEnd, endOrLastLineEnd, wordBoundary, noWordBoundary
}

/// A parser of regular expressions in ICU's syntax, without the features that need more than linear time: see `RegularExpression`.
struct PatternParser {
    static let maximumRepetition = 1000
    static let maximumDepth = 50

    private let scalars: [Unicode.Scalar]
    private var at = 0
    private var depth = 0
    private var ignoresCase: Bool
    private var dotIsAny = false
    private var isMultiline = false

    init(_ pattern: String, ignoresCase: Bool) {
        scalars = Array(pattern.unicodeScalars)
        self.ignoresCase = ignoresCase
    }

    mutating func parse() throws(PatternError) -> PatternNode {
        let node = try choice()
        if at < scalars.count { throw fail("This ')' closes nothing.") }
        return node
    }

    private func fail(_ message: String, at place: Int? = nil) -> PatternError {
        PatternError(message: message, position: place ?? min(at, scalars.count))
    }

    private func peek(_ offset: Int = 0) -> Unicode.Scalar? {
        at + offset < scalars.count ? scalars[at + offset] : nil
    }

    private mutating func accept(_ scalar: Unicode.Scalar) -> Bool {
        guard peek() == scalar else { return false }
        at += 1
        return true
    }

    // MARK: Structure

    private mutating func choice() throws(PatternError) -> PatternNode {
        var branches = [try sequence()]
        while accept("|") { branches.append(try sequence()) }
        return branches.count == 1 ? branches[0] : .choice(branches)
    }

    private mutating func sequence() throws(PatternError) -> PatternNode {
        var parts: [PatternNode] = []
        while let next = peek(), next != "|", next != ")" {
            if let node = try atom() { parts.append(try repeated(node)) }
        }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    private mutating func repeated(_ node: PatternNode) throws(PatternError) -> PatternNode {
        let least: Int
        var most: Int?
        let start = at
        switch peek() {
        case "*": least = 0
        case "+": least = 1
        case "?": (least, most) = (0, 1)
        case "{":
            at += 1
            least = try count()
            most = least
            if accept(",") { most = peek() == "}" ? nil : try count() }
            guard peek() == "}" else { throw fail("'{' isn't closed: {2}, {2,} or {2,5}.", at: start) }
            if let most, most < least { throw fail("The first number is the greater one.", at: start) }
        default: return node
        }
        at += 1
        // Greedy and lazy repetitions are equivalent because the whole text must match.
        if peek() == "+" { throw fail("Possessive repetitions aren't supported.") }
        _ = accept("?")
        return .repetition(node, least: least, most: most)
    }

    private mutating func count() throws(PatternError) -> Int {
        let start = at
        var number = 0
        while let digit = peek(), ("0"..."9").contains(digit) {
            number = min(number * 10 + Int(digit.value - 48), Self.maximumRepetition + 1)
            at += 1
        }
        if at == start { throw fail("A number is missing.") }
        if number > Self.maximumRepetition {
            throw fail("Repetitions are counted to \(Self.maximumRepetition) at most.", at: start)
        }
        return number
    }

    /// Returns `nil` for an element that matches nothing by itself: a change of flags or a comment.
    private mutating func atom() throws(PatternError) -> PatternNode? {
        let start = at
        let scalar = scalars[at]
        at += 1
        switch scalar {
        case "(": return try group(start)
        case "[": return .set(try bracket(start))
        case ".": return .set(dotIsAny ? everything : ScalarSet(.lineEnd, isNegated: true))
        case "^": return .assertion(isMultiline ? .lineStart : .start)
        case "$": return .assertion(isMultiline ? .lineEnd : .endOrLastLineEnd)
        case "\\": return try escape(start)
        case "*", "+", "?": throw fail("There is nothing to repeat before '\(scalar)'.", at: start)
        case "{", "}": throw fail("'\(scalar)' by itself is written '\\\(scalar)'.", at: start)
        default: return .set(ScalarSet(scalar, ignoresCase: ignoresCase))
        }
    }

    private var everything: ScalarSet {
        var set = ScalarSet(ignoresCase: false)
        set.insert(0...0x10_ffff)
        set.finish()
        return set
    }

    // MARK: Groups

    private mutating func group(_ start: Int) throws(PatternError) -> PatternNode? {
        let flags = (ignoresCase, dotIsAny, isMultiline)
        if accept("?") {
            switch peek() {
            case ":": at += 1
            case "=", "!": throw fail("Looking ahead isn't supported.", at: start)
            case ">": throw fail("Atomic groups aren't supported.", at: start)
            case "#":
                while let next = peek(), next != ")" {
                    _ = next
                    at += 1
                }
                if !accept(")") { throw fail("This comment isn't closed.", at: start) }
                return nil
            case "<":
                if peek(1) == "=" || peek(1) == "!" { throw fail("Looking behind isn't supported.", at: start) }
                at += 1
                while let next = peek(), next != ">" {
                    guard next.isASCII, next.properties.isAlphabetic || ("0"..."9").contains(next) else {
                        throw fail("A group's name has letters and digits only.")
                    }
                    at += 1
                }
                if !accept(">") { throw fail("The group's name isn't closed.", at: start) }
            default: if try !setFlags(start) { return nil }
            }
        }
        depth += 1
        if depth > Self.maximumDepth { throw fail("Groups nest to \(Self.maximumDepth) levels at most.", at: start) }
        let node = try choice()
        depth -= 1
        if !accept(")") { throw fail("This '(' isn't closed.", at: start) }
        (ignoresCase, dotIsAny, isMultiline) = flags
        return node
    }

    /// Parses `(?i)` for the rest of the enclosing group, or `(?i:` for a new group.
    /// - Returns: whether a group follows.
    private mutating func setFlags(_ start: Int) throws(PatternError) -> Bool {
        var value = true
        while let flag = peek() {
            at += 1
            switch flag {
            case "i": ignoresCase = value
            case "s": dotIsAny = value
            case "m": isMultiline = value
            case "-": value = false
            case ")": return false
            case ":": return true
            default: throw fail("The flags are i, m and s.", at: at - 1)
            }
        }
        throw fail("This '(' isn't closed.", at: start)
    }

    // MARK: Escapes

    private mutating func escape(_ start: Int) throws(PatternError) -> PatternNode {
        guard let letter = peek() else { throw fail("'\\' stands at the end.", at: start) }
        let assertion: PatternAssertion? =
            switch letter {
            case "b": .wordBoundary
            case "B": .noWordBoundary
            case "A": .start
            case "Z": .endOrLastLineEnd
            case "z": .end
            default: nil
            }
        if let assertion {
            at += 1
            return .assertion(assertion)
        }
        if letter == "Q" {
            at += 1
            var parts: [PatternNode] = []
            while let next = peek() {
                if next == "\\", peek(1) == "E" {
                    at += 2
                    break
                }
                parts.append(.set(ScalarSet(next, ignoresCase: ignoresCase)))
                at += 1
            }
            return .sequence(parts)
        }
        if let (property, isNegated) = try property(start) {
            var set = ScalarSet(ignoresCase: ignoresCase)
            set.insert(property, isNegated: false)
            set.isNegated = isNegated
            set.finish()
            return .set(set)
        }
        return .set(ScalarSet(try escapedScalar(start), ignoresCase: ignoresCase))
    }

    /// Parses `\d`, `\p{Lu}` and similar escapes.
    private mutating func property(_ start: Int) throws(PatternError) -> (ScalarSet.Property, isNegated: Bool)? {
        let property: ScalarSet.Property
        guard let letter = peek() else { return nil }
        switch letter {
        case "d", "D": property = .digit
        case "w", "W": property = .word
        case "s", "S": property = .space
        case "p", "P":
            at += 1
            var name = ""
            if accept("{") {
                while let next = peek(), next != "}" {
                    name.unicodeScalars.append(next)
                    at += 1
                }
            } else if let next = peek() {
                name.unicodeScalars.append(next)
            }
            guard peek() != nil, let bits = ScalarSet.categories(named: name) else {
                throw fail("Of Unicode's properties the general categories are known: \\p{L}, \\p{Lu}.", at: start)
            }
            property = .categories(bits)
        default: return nil
        }
        at += 1
        return (property, letter.properties.isUppercase)
    }

    private mutating func escapedScalar(_ start: Int) throws(PatternError) -> Unicode.Scalar {
        let letter = scalars[at]
        at += 1
        switch letter {
        case "t": return "\t"
        case "n": return "\n"
        case "r": return "\r"
        case "f": return "\u{c}"
        case "a": return "\u{7}"
        case "e": return "\u{1b}"
        case "0": return try scalar(digits: 1...3, radix: 8, start)
        case "u": return try scalar(digits: 4...4, radix: 16, start)
        case "U": return try scalar(digits: 8...8, radix: 16, start)
        case "x":
            guard accept("{") else { return try scalar(digits: 2...2, radix: 16, start) }
            let found = try scalar(digits: 1...6, radix: 16, start)
            if !accept("}") { throw fail("'\\x{' isn't closed.", at: start) }
            return found
        case "1"..."9", "k": throw fail("References to groups aren't supported.", at: start)
        case _ where letter.isASCII && letter.properties.isAlphabetic:
            throw fail("'\\\(letter)' isn't supported.", at: start)
        default: return letter
        }
    }

    private mutating func scalar(
        digits: ClosedRange<Int>,
        radix: Int,
        _ start: Int
    ) throws(PatternError) -> Unicode.Scalar {
        var text = ""
        while text.utf8.count < digits.upperBound, let next = peek(), next.isASCII,
            Character(next).hexDigitValue.map({ $0 < radix }) == true
        {
            text.unicodeScalars.append(next)
            at += 1
        }
        guard text.utf8.count >= digits.lowerBound, let value = UInt32(text, radix: radix),
            let scalar = Unicode.Scalar(value)
        else { throw fail("This isn't the number of a character.", at: start) }
        return scalar
    }

    // MARK: Brackets

    private mutating func bracket(_ start: Int) throws(PatternError) -> ScalarSet {
        var set = ScalarSet(ignoresCase: ignoresCase)
        set.isNegated = accept("^")
        let first = at
        while true {
            guard let next = peek() else { throw fail("This '[' isn't closed.", at: start) }
            if next == "]" {
                if at == first { throw fail("These brackets are empty. A ']' in them is written '\\]'.", at: start) }
                at += 1
                set.finish()
                return set
            }
            try item(&set)
        }
    }

    private mutating func item(_ set: inout ScalarSet) throws(PatternError) {
        let start = at
        if peek() == "\\", try insertProperty(&set) { return }
        let low = try bracketScalar()
        guard peek() == "-", let next = peek(1), next != "]" else { return set.insert(low.value...low.value) }
        at += 1
        if peek() == "-" { throw fail("Differences of sets aren't supported. A '-' in brackets is written '\\-'.") }
        let high = try bracketScalar()
        if high < low { throw fail("The range's end comes before its beginning.", at: start) }
        set.insert(low.value...high.value)
    }

    private mutating func insertProperty(_ set: inout ScalarSet) throws(PatternError) -> Bool {
        let start = at
        at += 1
        guard let (property, isNegated) = try property(start) else {
            at = start
            return false
        }
        set.insert(property, isNegated: isNegated)
        return true
    }

    private mutating func bracketScalar() throws(PatternError) -> Unicode.Scalar {
        let start = at
        guard let scalar = peek() else { throw fail("A character is missing.") }
        at += 1
        switch scalar {
        case "[": throw fail("Sets in sets aren't supported. A '[' in brackets is written '\\['.", at: start)
        case "&" where peek() == "&": throw fail("Intersections of sets aren't supported.", at: start)
        case "\\":
            guard let letter = peek() else { throw fail("'\\' stands at the end.", at: start) }
            if "bBAZzQEdDwWsSpP".unicodeScalars.contains(letter) {
                throw fail("'\\\(letter)' can't stand here in brackets.", at: start)
            }
            return try escapedScalar(start)
        default: return scalar
        }
    }
}
