import ArgumentParser
import Foundation
import Freehold

/// The arguments of the command line for `$0` and `%@`. They are texts, each of which can have several interpretations.
struct QueryArguments {
    /// The help of the option `--arg`.
    static let help = ArgumentHelp("A value for $0, $1, … or %@; may be given several times.", valueName: "value")

    /// The interpretations of each argument, the most probable first.
    private let readings: [[Any?]]

    init(_ texts: [String]) { readings = texts.map { Self.readings(of: $0) } }

    private static func readings(of text: String) -> [Any?] {
        switch text {
        case "true": return [true, text]
        case "false": return [false, text]
        case "null": return [nil, text]
        default: break
        }
        if text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") { return [String(text.dropFirst().dropLast())] }
        if let whole = Int(text) { return [whole, text] }
        if let number = Double(text), number.isFinite, text.utf8.contains(where: { $0 >= 0x30 && $0 <= 0x39 }) {
            // The text is first, because decimals keep their digits.
            return [text, number]
        }
        if let date = date(text) { return [date, text] }
        return [text]
    }

    /// Parses ISO 8601 with a time and a zone.
    private static func date(_ text: String) -> Date? {
        guard text.contains("T") else { return nil }
        let formatter = ISO8601DateFormatter()
        if let date = formatter.date(from: text) { return date }
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        return formatter.date(from: text)
    }

    /// Returns the results with the first interpretation of the arguments that fits the class. If none fits, throws the
    /// error of the first one.
    func filter(_ results: Results<DynamicObject>, _ query: String) throws -> Results<DynamicObject> {
        var first: QueryError?
        var choice = Array(repeating: 0, count: readings.count)
        // Each argument has at most two interpretations. For a large number of arguments, only the most probable ones
        // are tried.
        for _ in 0..<256 {
            do throws(QueryError) {
                return try results.filter(
                    validating: query,
                    arguments: zip(readings, choice).map { $0[$1] }
                )
            } catch {
                first = first ?? error
                guard error.code == .type || error.code == .argument || error.code == .constant else { break }
            }
            guard let next = choice.indices.first(where: { choice[$0] + 1 < readings[$0].count }) else { break }
            for i in 0..<next { choice[i] = 0 }
            choice[next] += 1
        }
        throw first ?? QueryError(.argument, "The query can't be read.")
    }
}
