import ModelConverter
import Testing

/// The conversion of some texts, as the files `0.swift`, `1.swift` and so on.
func converted(_ texts: String..., bases: Set<String> = []) -> (texts: [String], findings: [String]) {
    let sources = texts.enumerated().map { SourceFile(path: "\($0.offset).swift", text: $0.element) }
    let conversion = Conversion(sources, bases: bases)
    return (
        conversion.files.map { String(decoding: $0.new, as: UTF8.self) }, conversion.findings.map { "\($0)" }
    )
}

/// Expects the converted text of a model's members and the findings, and that a second conversion changes nothing.
func expectMembers(
    _ old: String,
    become new: String,
    findings: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let head = "import RealmSwift\nclass Model: Object {\n"
    let result = converted(head + old + "\n}\n")
    expectEqual(result.texts[0], head + new + "\n}\n", sourceLocation: sourceLocation)
    expectEqual(result.findings, findings, sourceLocation: sourceLocation)
    expectEqual(converted(result.texts[0]).texts, result.texts, sourceLocation: sourceLocation)
}
