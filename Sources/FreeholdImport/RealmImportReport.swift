public import Foundation

/// A report of the data that an import read, and of the differences in the new file.
public struct RealmImportReport: Sendable, Equatable, Codable {
    public struct Class: Sendable, Equatable, Codable {
        public let name: String
        /// `topLevel`, `embedded` or `asymmetric`.
        public let kind: String
        public let properties: Int
        /// The number of objects in the Realm file.
        public internal(set) var read = 0
        /// The number of objects in the new file, or 0 for a dry run.
        public internal(set) var stored = 0
    }

    /// A difference between the new file and the old one, or other information for the app.
    public struct Note: Sendable, Equatable, Codable {
        public enum Kind: String, Sendable, Codable {
            /// Objects of a class that is only sent are omitted.
            case asymmetricClass
            /// Changes of a synchronized realm weren't sent to its server. Without a count, their number isn't known.
            case unsentChanges
            /// The file belongs to a synchronized realm. The new file contains only its objects, as local data.
            case synchronized
            /// Links of mixed values to objects that are missing, or that aren't in the new file, are null.
            case missingTarget
            /// Invalid bytes of texts that weren't valid UTF-8 are replaced by U+FFFD.
            case repairedText
            /// In keys of dictionaries, points and a leading dollar sign are percent-encoded.
            case encodedKeys
            /// Values that equal another value of their set are omitted.
            case equalInSet
            /// Elements of collections that exceed the limit of a Freehold file are replaced by null or an empty value.
            case tooLarge
            /// A required value is null. The default of the type is stored instead.
            case missingValue
            /// Embedded objects without an owner are omitted.
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

    /// The number of objects of all classes that were read.
    public var objectCount: Int { classes.reduce(0) { $0 + $1.read } }

    /// Returns the report as JSON.
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

/// The progress of an import.
public struct RealmImportProgress: Sendable {
    public let className: String
    /// The number of objects read so far. Objects with links are read twice.
    public let objects: Int
    public let total: Int
}
