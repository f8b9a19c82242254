/// Models of RealmSwift's older notation, written with `@Persisted`.
///
/// Classes are found by inheritance among all the files, so a program's files belong into one conversion. What isn't
/// converted stays byte for byte, and is found again in ``findings``. Converting the result again changes nothing.
package struct Conversion {
    package struct File {
        package let path: String
        package let old: [UInt8]
        package let new: [UInt8]

        package var isChanged: Bool { old != new }
    }

    package struct Finding: Comparable, CustomStringConvertible {
        package enum Kind: Int {
            /// The file can't be read as Swift, and is left as it is.
            case unreadable
            /// Somebody has to look at it: it doesn't compile, or isn't stored any more.
            case left
            /// It was left as it is and works, or works in another way.
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

    /// - Parameter bases: names of classes that aren't among the files but are models.
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
