/// The characters of names in a language.
enum IdentifierCharacters: Sendable {
    /// ASCII letters, digits and underscores.
    case ascii
    /// Letters and digits of all scripts that old compilers support, too.
    case letters
    /// The characters of identifiers in Unicode.
    case unicode
    /// All characters. Names are in quotation marks if necessary.
    case any

    func isIdentifier(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first else { return false }
        return self == .any || (isStart(first) && name != "_" && name.unicodeScalars.allSatisfy(isBody))
    }

    func isBody(_ scalar: Unicode.Scalar) -> Bool {
        switch self {
        case .any: return true
        case .unicode: return scalar == "_" || scalar.properties.isXIDContinue
        case .ascii: return scalar == "_" || Self.isASCIIAlphanumeric(scalar)
        case .letters:
            if scalar.isASCII { return scalar == "_" || Self.isASCIIAlphanumeric(scalar) }
            return Self.isOldLetter(scalar)
                || (scalar.properties.generalCategory == .decimalNumber && Self.isOld(scalar))
        }
    }

    func isStart(_ scalar: Unicode.Scalar) -> Bool {
        switch self {
        case .any: true
        case .unicode: scalar == "_" || scalar.properties.isXIDStart
        case .ascii, .letters: isBody(scalar) && !("0"..."9" ~= scalar) && (scalar.isASCII || Self.isOldLetter(scalar))
        }
    }

    private static func isASCIIAlphanumeric(_ scalar: Unicode.Scalar) -> Bool {
        "a"..."z" ~= scalar || "A"..."Z" ~= scalar || "0"..."9" ~= scalar
    }

    private static func isOldLetter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter:
            isOld(scalar) && scalar.properties.isXIDStart && !scalar.properties.isDefaultIgnorableCodePoint
        default: false
        }
    }

    /// Returns a Boolean value that indicates whether Unicode has contained a character since 2017 or earlier, and the
    /// character belongs to the basic plane. C# and Kotlin accept no characters of other planes.
    private static func isOld(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value <= 0xFFFF && scalar.properties.age.map { $0.major <= 10 } == true
    }
}
