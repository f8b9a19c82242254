/// A set of Unicode scalars, which a pattern describes with literals, classes and brackets.
struct ScalarSet: Sendable {
    /// A property that scalars can have.
    enum Property: Sendable {
        case digit, word, space, lineEnd
        /// One of these general categories, as bits of `ScalarSet.bit`.
        case categories(UInt32)

        func holds(_ scalar: Unicode.Scalar) -> Bool {
            let properties = scalar.properties
            switch self {
            case .digit: return properties.generalCategory == .decimalNumber
            case .space: return properties.isWhitespace
            case .lineEnd: return ScalarSet.isLineEnd(scalar)
            case .categories(let bits): return bits & ScalarSet.bit(properties.generalCategory) != 0
            case .word:
                switch properties.generalCategory {
                case .nonspacingMark, .enclosingMark, .spacingMark, .decimalNumber, .connectorPunctuation: return true
                default: return properties.isAlphabetic || scalar.value == 0x200c || scalar.value == 0x200d
                }
            }
        }
    }

    private var ranges: [ClosedRange<UInt32>] = []
    private var properties: [(property: Property, isNegated: Bool)] = []
    var isNegated = false
    let ignoresCase: Bool
    /// The members in ASCII, as a bitmap.
    private var ascii: (UInt64, UInt64) = (0, 0)

    init(ignoresCase: Bool) { self.ignoresCase = ignoresCase }

    /// Creates a set of one scalar.
    init(_ scalar: Unicode.Scalar, ignoresCase: Bool) {
        self.init(ignoresCase: ignoresCase)
        insert(scalar.value...scalar.value)
        finish()
    }

    /// Creates a set of the scalars with the property, or of all others.
    init(_ property: Property, isNegated: Bool) {
        self.init(ignoresCase: false)
        insert(property, isNegated: isNegated)
        finish()
    }

    mutating func insert(_ range: ClosedRange<UInt32>) {
        ranges.append(range)
        guard ignoresCase, range.count == 1, let scalar = Unicode.Scalar(range.lowerBound) else { return }
        for other in Self.cases(of: scalar) { ranges.append(other.value...other.value) }
    }

    mutating func insert(_ property: Property, isNegated: Bool) { properties.append((property, isNegated)) }

    /// Builds the bitmap of ASCII, after all members have been inserted.
    mutating func finish() {
        for value in UInt8(0)..<128 where holds(Unicode.Scalar(value)) {
            if value < 64 { ascii.0 |= 1 << UInt64(value) } else { ascii.1 |= 1 << UInt64(value - 64) }
        }
    }

    /// - Complexity: O(1) for ASCII, otherwise O(ranges and properties of the set).
    @inline(__always)
    func contains(_ scalar: Unicode.Scalar) -> Bool {
        let value = scalar.value
        if value < 64 { return ascii.0 >> UInt64(value) & 1 != 0 }
        if value < 128 { return ascii.1 >> UInt64(value - 64) & 1 != 0 }
        return holds(scalar)
    }

    private func holds(_ scalar: Unicode.Scalar) -> Bool {
        var found = isListed(scalar)
        if !found, ignoresCase { found = Self.cases(of: scalar).contains(where: isListed) }
        return found != isNegated
    }

    private func isListed(_ scalar: Unicode.Scalar) -> Bool {
        ranges.contains { $0.contains(scalar.value) }
            || properties.contains { $0.property.holds(scalar) != $0.isNegated }
    }

    /// Returns the other cases of a letter that consist of one scalar.
    private static func cases(of scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        func single(_ text: String) -> Unicode.Scalar? {
            let scalars = text.unicodeScalars
            return scalars.count == 1 ? scalars.first : nil
        }
        let properties = scalar.properties
        var found: [Unicode.Scalar] = []
        if let lower = single(properties.lowercaseMapping) { found.append(lower) }
        if let upper = single(properties.uppercaseMapping) {
            found.append(upper)
            if let lower = single(upper.properties.lowercaseMapping) { found.append(lower) }
        }
        return found
    }

    static func isLineEnd(_ scalar: Unicode.Scalar) -> Bool {
        (0x0a...0x0d).contains(scalar.value) || [0x85, 0x2028, 0x2029].contains(scalar.value)
    }

    // MARK: Categories

    static func bit(_ category: Unicode.GeneralCategory) -> UInt32 {
        let index: UInt32 =
            switch category {
            case .uppercaseLetter: 0
            case .lowercaseLetter: 1
            case .titlecaseLetter: 2
            case .modifierLetter: 3
            case .otherLetter: 4
            case .nonspacingMark: 5
            case .spacingMark: 6
            case .enclosingMark: 7
            case .decimalNumber: 8
            case .letterNumber: 9
            case .otherNumber: 10
            case .connectorPunctuation: 11
            case .dashPunctuation: 12
            case .openPunctuation: 13
            case .closePunctuation: 14
            case .initialPunctuation: 15
            case .finalPunctuation: 16
            case .otherPunctuation: 17
            case .mathSymbol: 18
            case .currencySymbol: 19
            case .modifierSymbol: 20
            case .otherSymbol: 21
            case .spaceSeparator: 22
            case .lineSeparator: 23
            case .paragraphSeparator: 24
            case .control: 25
            case .format: 26
            case .surrogate: 27
            case .privateUse: 28
            case .unassigned: 29
            @unknown default: 29
            }
        return 1 << index
    }

    private static let names = [
        "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po",
        "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn",
    ]

    /// Returns the bits of a category such as `L` or `Lu`, or `nil` for an unknown name.
    static func categories(named name: String) -> UInt32? {
        var bits: UInt32 = 0
        for (i, other) in names.enumerated() where other == name || String(other.prefix(1)) == name { bits |= 1 << i }
        return bits == 0 ? nil : bits
    }
}
