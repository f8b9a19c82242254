import ArgumentParser
import Foundation
import FreeholdBSON
import FreeholdServer
import FreeholdSyncRules

/// The documents of schemas in files.
///
/// A file contains a JSON schema with a title, or `{"schema": …, "relationships": …, "asymmetric": true}`, or an array
/// of these. A folder contains such files. In the format of App Services, it contains a folder for each class, with
/// `schema.json` and an optional `relationships.json`.
enum SchemaFiles {
    struct Content {
        var documents: [SchemaDocument] = []
        var asymmetric: Set<String> = []
    }

    private static let greatestFile = 16 << 20
    private static let greatestCount = 10_000

    /// - Throws: `ValidationError` with the file's name.
    static func read(_ paths: [String]) throws -> Content {
        var content = Content()
        for path in paths { try read(path, &content) }
        guard !content.documents.isEmpty else {
            throw ValidationError("There is no schema in \(paths.joined(separator: ", ")).")
        }
        return content
    }

    private static func read(_ path: String, _ content: inout Content) throws {
        let files = FileManager.default
        var isFolder: ObjCBool = false
        guard files.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw ValidationError("There is no \(path).")
        }
        guard isFolder.boolValue else { return try add(try value(path), path, nil, &content) }
        let names = try files.contentsOfDirectory(atPath: path).sorted()
        guard names.count <= greatestCount else {
            throw ValidationError("\(path) has more than \(greatestCount) files.")
        }
        if names.contains("schema.json") {
            let links = names.contains("relationships.json") ? try value(path + "/relationships.json") : nil
            return try add(try value(path + "/schema.json"), path + "/schema.json", links, &content)
        }
        for name in names {
            let inner = path + "/" + name
            _ = files.fileExists(atPath: inner, isDirectory: &isFolder)
            if isFolder.boolValue {
                if files.fileExists(atPath: inner + "/schema.json") { try read(inner, &content) }
            } else if name.hasSuffix(".json") {
                try read(inner, &content)
            }
        }
    }

    /// Returns the text of a file.
    ///
    /// - Throws: `ValidationError` if it can't be read or is too large.
    static func text(_ path: String) throws -> String {
        guard let file = FileHandle(forReadingAtPath: path) else { throw ValidationError("\(path) can't be read.") }
        let data = try file.read(upToCount: greatestFile + 1) ?? Data()
        guard data.count <= greatestFile else { throw ValidationError("\(path) has more than 16 MiB.") }
        return String(decoding: data, as: UTF8.self)
    }

    private static func value(_ path: String) throws -> BSONValue {
        do { return try BSONValue(extendedJSON: try text(path)) } catch let error as BSONError {
            throw ValidationError("\(path): \(error)")
        }
    }

    private static func add(_ value: BSONValue, _ path: String, _ links: BSONValue?, _ content: inout Content) throws {
        switch value {
        case .array(let values): for value in values { try add(value, path, links, &content) }
        case .document(let document):
            var (schema, relationships) = (document, BSONDocument())
            if case .document(let found)? = links { relationships = found }
            if case .document(let inner)? = document["schema"] {
                schema = inner
                if case .document(let found)? = document["relationships"] { relationships = found }
            }
            let read = SchemaDocument(schema: schema, relationships: relationships)
            guard !read.className.isEmpty else {
                throw ValidationError("\(path): a schema has a 'title', the class's name.")
            }
            content.documents.append(read)
            if document["asymmetric"] == true { content.asymmetric.insert(read.className) }
        default: throw ValidationError("\(path) holds no schema.")
        }
    }

    static func text(_ document: SchemaDocument, isAsymmetric: Bool) throws -> String {
        var whole: BSONDocument = ["schema": .document(document.schema)]
        if !document.relationships.isEmpty { whole.append("relationships", .document(document.relationships)) }
        if isAsymmetric { whole.append("asymmetric", true) }
        return try whole.extendedJSON(pretty: true) + "\n"
    }
}
