import Foundation

@testable import FreeholdEngine

/// Words of texts, found another way than by the tokenizer: scalar by scalar, with Foundation's decompositions.
enum NaiveText {
    static func words(_ text: String, _ matching: TextMatching = .unicode) -> [String] {
        matching == .unicode ? unicodeWords(text) : latinWords(text)
    }

    /// Realm's words: precomposed letters and digits of Latin-1.
    private static func latinWords(_ text: String) -> [String] {
        var out = [""]
        for scalar in text.unicodeScalars {
            let isLetter = scalar.properties.isAlphabetic && scalar != "ª" && scalar != "º" && scalar != "µ"
            let isDigit = ("0"..."9").contains(scalar)
            guard scalar.value < 0xff, isLetter || isDigit else {
                out.append("")
                continue
            }
            let lower = String(Character(scalar)).lowercased()
            out[out.count - 1] +=
                lower == "å" ? lower : String(lower.decomposedStringWithCanonicalMapping.unicodeScalars.first!)
        }
        return out.filter { !$0.isEmpty }
    }

    private static func unicodeWords(_ text: String) -> [String] {
        var out: [String] = []
        var word = ""
        var run: [Unicode.Scalar] = []
        func end() {
            if !word.isEmpty { out.append(word) }
            word = ""
            for i in run.indices { out.append(String(String.UnicodeScalarView(run[i..<min(i + 2, run.count)]))) }
            run = []
        }
        for scalar in folded(text) {
            if isUnspaced(scalar) {
                if !word.isEmpty { end() }
                run.append(scalar)
            } else if isLetter(scalar) {
                if !run.isEmpty { end() }
                word.unicodeScalars.append(scalar)
            } else {
                end()
            }
        }
        end()
        return out
    }

    private static let own: [Unicode.Scalar: String] = [
        "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ł": "l", "ŧ": "t", "ı": "i",
        "þ": "th", "ى": "ي", "ی": "ي", "ک": "ك", "ς": "σ",
    ]

    private static func folded(_ text: String) -> [Unicode.Scalar] {
        var out: [Unicode.Scalar] = []
        for scalar in text.precomposedStringWithCanonicalMapping.unicodeScalars {
            // These characters are omitted before letters are folded, since they may decompose to a space with an
            // accent.
            if scalar.properties.generalCategory == .modifierLetter, (0x2b0..<0x300).contains(scalar.value),
                !scalar.properties.changesWhenNFKCCaseFolded
            {
                continue
            }
            let lower = scalar.properties.lowercaseMapping.precomposedStringWithCanonicalMapping
            for scalar in lower.unicodeScalars {
                if isUnspaced(scalar) || scalar == "й" || scalar == "ў" {
                    out.append(scalar)
                    continue
                }
                for part in String(scalar).decomposedStringWithCompatibilityMapping.lowercased().unicodeScalars
                where !isLeftOut(part) {
                    if part.properties.generalCategory == .decimalNumber {
                        out.append(Unicode.Scalar(48 + UInt8(part.properties.numericValue!)))
                    } else {
                        out += own[part].map { Array($0.unicodeScalars) } ?? [part]
                    }
                }
            }
        }
        return out
    }

    /// Accents, points and what can't be seen.
    private static func isLeftOut(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .format: scalar != "\u{200b}"
        case .nonspacingMark:
            scalar.value < 0x900 || (0x1ab0..<0x2100).contains(scalar.value)
                || [0x93c, 0x9bc, 0xa3c, 0xabc, 0xb3c].contains(scalar.value)
        default: scalar == "\u{640}"
        }
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .nonspacingMark, .spacingMark:
            true
        default: false
        }
    }

    /// Returns whether the character belongs to a script without spaces.
    static func isUnspaced(_ scalar: Unicode.Scalar) -> Bool {
        guard isLetter(scalar) else { return false }
        let blocks: [Range<UInt32>] = [
            0xe00..<0xf00, 0x1000..<0x10a0, 0x1100..<0x1200, 0x1780..<0x1800, 0x3005..<0x3008, 0x3041..<0x3190,
            0x31f0..<0x3200, 0x3400..<0xa000, 0xac00..<0xd7b0, 0x20000..<0x40000,
        ]
        // Yi and other scripts in between have spaces.
        return blocks.contains { $0.contains(scalar.value) }
    }
}

/// A search with separate terms, and a simple test of words against it.
struct NaiveSearch {
    var text = ""
    private var terms: [(words: [Word], isExcluded: Bool)] = []
    private let matching: TextMatching

    private struct Word {
        let text: String
        /// Any word that begins so will do.
        let isPrefix: Bool

        func fits(_ word: String) -> Bool {
            isPrefix ? word.utf8.starts(with: text.utf8) : word == text
        }
    }

    init(_ matching: TextMatching) { self.matching = matching }

    mutating func add(_ term: String, isPhrase: Bool, isPrefix: Bool, isExcluded: Bool) {
        let written = (isPhrase ? "\"\(term)\"" : term) + (isPrefix ? "*" : "")
        text += " " + (isExcluded ? "-" : "") + written
        let words = NaiveText.words(term, matching)
        // A term without a word has no condition.
        if words.isEmpty { return }
        // Realm doesn't support excluded prefixes.
        let isPrefix = isPrefix && !(isExcluded && matching == .latin1)
        let all = words.enumerated().map { i, word in
            let isUnspaced = matching == .unicode && NaiveText.isUnspaced(word.unicodeScalars.first!)
            // A single character without spaces begins any pair.
            let isShort = isUnspaced && word.unicodeScalars.count == 1
            return Word(text: word, isPrefix: isShort || (i == words.count - 1 && isPrefix && !isUnspaced))
        }
        terms.append((all, isExcluded))
    }

    func matches(_ there: [String]) -> Bool {
        for term in terms {
            var isFound = false
            for start in there.indices where start + term.words.count <= there.count && !isFound {
                isFound = term.words.indices.allSatisfy { term.words[$0].fits(there[start + $0]) }
            }
            if isFound == term.isExcluded { return false }
        }
        return true
    }
}
