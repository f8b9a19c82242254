/// A conversion of models in RealmSwift's older notation to `@Persisted`.
///
/// Models are found by their inheritance in all files, so the files of a program belong to one conversion. Code that
/// isn't converted stays unchanged byte for byte, and is listed in ``findings``. A second conversion of the result
/// changes nothing.
package struct Conversion {
    package struct File {
        package let path: String
        package let old: [UInt8]
        package let new: [UInt8]

        package var isChanged: Bool { old != new }
    }

    package struct Finding: Comparable, CustomStringConvertible {
        package enum Kind: Int {
            /// The file can't be parsed as Swift, and is unchanged.
            case unreadable
            /// The code needs a decision: it doesn't compile, or isn't stored any more.
            case left
            /// The code is unchanged and works, or works in another way.
            case note
        }

        package let kind: Kind
        package let path: String
        package let line: Int
        package let column: Int
        package let message: String

        package static func < (a: Finding, b: Finding) -> Bool {
            (a.path, a.line, a.column, a.message) < (b.path, b.line, b.column, b.message)
        }

        package var description: String {
            let word =
                switch kind {
                case .unreadable: "unreadable"
                case .left: "left alone"
                case .note: "note"
                }
            return "\(path):\(line):\(column): \(word): \(message)"
        }
    }

    package struct Counts: Equatable {
        package var classes = 0
        package var properties = 0
        package var overrides = 0
        package var enums = 0
        package var uses = 0

        package init() {}
    }

    package let files: [File]
    package let findings: [Finding]
    package let counts: Counts

    /// - Parameter bases: The names of model classes that aren't in the files.
    package init(_ sources: [SourceFile], bases: Set<String> = []) {
        var converter = Converter(sources, bases: bases)
        converter.run()
        files = zip(sources, converter.edits).map { source, edits in
            File(
                path: source.path,
                old: source.bytes,
                new: edits.isEmpty ? source.bytes : edits.applied(to: source.bytes)
            )
        }
        findings = converter.findings.sorted()
        counts = converter.counts
    }
}
