public import Foundation

/// What an import of a Realm file read, and what is different in the new file.
public struct RealmImportReport: Sendable, Equatable, Codable {
    public struct Class: Sendable, Equatable, Codable {
        public let name: String
        /// `topLevel`, `embedded` or `asymmetric`.
        public let kind: String
        public let properties: Int
        /// Objects in the Realm file.
        public internal(set) var read = 0
        /// Objects in the new file; 0 in a dry run.
        public internal(set) var stored = 0
    }

    /// Something that isn't in the new file as it was in the old one, or that the app should know.
    public struct Note: Sendable, Equatable, Codable {
        public enum Kind: String, Sendable, Codable {
            /// Objects of a class that is only ever sent are left out.
            case asymmetricClass
            /// Changes of a synchronized realm that weren't sent to its server; without a count, that this can't be told.
            case unsentChanges
            /// The file belongs to a synchronized realm: the new one holds its objects only, as local data.
            case synchronized
            /// Links of mixed values to objects that aren't there, or not in the new file, are null.
            case missingTarget
            /// Texts that weren't valid UTF-8 have U+FFFD where they weren't.
            case repairedText
            /// Keys of dictionaries with a point or a leading dollar sign have these percent-encoded.
            case encodedKeys
            /// Values that equal another one of their set are left out.
            case equalInSet
            /// Elements of collections that are larger than a Freehold file holds: null, or an empty value, stands in their place.
            case tooLarge
            /// Null where the class demands a value: the type's default is stored.
            case missingValue
            /// Embedded objects without an owner are left out.
            case withoutOwner
        }

        public let kind: Kind
        public let text: String
        public let className: String?
        public let property: String?
        public let count: Int?
    }

    public let formatVersion: Int
    public let schemaVersion: UInt64?
    public let isEncrypted: Bool
    public let isSynchronized: Bool
    public let isDryRun: Bool
    public internal(set) var classes: [Class] = []
    public internal(set) var notes: [Note] = []

    /// Objects of all classes that were read.
    public var objectCount: Int { classes.reduce(0) { $0 + $1.read } }

    /// The report as JSON.
    public func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}

extension RealmImportReport: CustomStringConvertible {
    /// The report as lines of text.
    public var description: String {
        var lines = [
            "Realm file of format \(formatVersion)" + (isEncrypted ? ", encrypted" : "")
                + (isSynchronized ? ", synchronized" : "")
                + (schemaVersion.map { ", schema version \($0)" } ?? "")
        ]
        for item in classes {
            let kind = item.kind == "topLevel" ? "" : " (\(item.kind))"
            let stored = isDryRun ? "" : ", \(item.stored) stored"
            lines.append("\(item.name)\(kind): \(item.read) read\(stored)")
        }
        for note in notes { lines.append("note: \(note.text)") }
        return lines.joined(separator: "\n")
    }
}

/// How far an import is.
public struct RealmImportProgress: Sendable {
    public let className: String
    /// Objects read until now. Those with links are read twice.
    public let objects: Int
    public let total: Int
}
