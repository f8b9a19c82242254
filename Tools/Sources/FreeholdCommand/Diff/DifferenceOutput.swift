/// The output of the differences of two files.
final class DifferenceOutput {
    private let asJSON: Bool
    let isQuiet: Bool
    private(set) var count = 0

    /// An error that ends a comparison whose result is sufficient.
    struct Enough: Error {}

    private let line: (String) throws -> Void

    init(
        asJSON: Bool,
        isQuiet: Bool,
        to line: @escaping (String) throws -> Void = { try StandardOutput.shared.line($0) }
    ) {
        self.asJSON = asJSON
        self.isQuiet = isQuiet
        self.line = line
    }

    func add(_ change: ObjectChange) throws {
        try add { asJSON ? change.json() : change.text }
    }

    /// Adds a difference of the schemas.
    ///
    /// - Parameters:
    ///   - name: The class, or the class and the property with a dot between them.
    ///   - first: The value in the first file, or nil if it is missing.
    func add(schema name: String, _ first: String?, second: String?) throws {
        try add {
            guard asJSON else {
                let text =
                    switch (first, second) {
                    case (let first?, nil): "- schema: \(name): \(first)"
                    case (nil, let second?): "+ schema: \(name): \(second)"
                    default: "~ schema: \(name): \(first ?? "") → \(second ?? "")"
                    }
                return TerminalText.escaped(text)
            }
            let change = first == nil ? "insert" : second == nil ? "delete" : "modify"
            func json(_ text: String?) -> String { text.map { JSONNode.string($0).text } ?? "null" }
            return JSONNode.object([
                ("change", json(change)), ("schema", json(name)), ("before", json(first)), ("after", json(second)),
            ])
        }
    }

    private func add(_ text: () -> String) throws {
        count += 1
        if isQuiet { throw Enough() }
        try line(text())
    }
}
