import Foundation
import FreeholdBSON
import FreeholdEngine
import FreeholdSyncRules

/// Files with JSON schemas of classes in the format of App Services.
///
/// A file contains the schema of one class, an array of schemas, or an object with `schema` and `relationships`. The
/// relationships may also be in a separate file: `relationships.json` belongs to `schema.json` in the same folder. In a
/// folder, all files named `schema.json` below it are read, so the folder of an exported project can be used unchanged.
struct SchemaFiles {
    private let paths: [String]
    private let limits = RuleLimits()

    init(_ paths: [String]) { self.paths = paths }

    func tables() throws -> [TableSpec] {
        var documents: [SchemaDocument] = []
        var seen: Set<String> = []
        for path in paths {
            for file in try files(at: path) {
                let name = URL(fileURLWithPath: file).standardizedFileURL.resolvingSymlinksInPath().path
                if seen.insert(name).inserted { documents += try self.documents(in: file) }
            }
        }
        do {
            return try SchemaDocument.tables(of: documents, limits: limits)
        } catch {
            throw Failure(.data, "\(TerminalText.escaped("\(error)"))")
        }
    }

    // MARK: Which files

    private func files(at path: String) throws -> [String] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw Failure(.noInput, "\(path): there is no such file")
        }
        guard isFolder.boolValue else { return [path] }
        let found = try schemas(in: path, depth: 0)
        if found.isEmpty { throw Failure(.noInput, "\(path): there is no schema.json in the folder, nor below it") }
        return found
    }

    /// Returns the files in sorted order, so that results don't depend on the file system. Links to folders may form
    /// cycles, and aren't followed.
    private func schemas(in folder: String, depth: Int) throws -> [String] {
        guard depth < 32, let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            throw Failure(.noPermission, "\(folder): the folder can't be read")
        }
        var files: [String] = []
        for name in names.sorted() where !name.hasPrefix(".") {
            let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { continue }
            if !isFolder.boolValue {
                if name == "schema.json" { files.append(path) }
            } else if (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) == nil {
                files += try schemas(in: path, depth: depth + 1)
            }
        }
        return files
    }

    // MARK: What is in them

    private func documents(in path: String) throws -> [SchemaDocument] {
        switch try value(path) {
        case .array(let elements):
            return try elements.map { element in
                guard case .document(let document) = element else {
                    throw Failure(.data, "\(path): a class's schema is an object, not \(element)")
                }
                return try self.document(document, at: path, beside: [:])
            }
        case .document(let document):
            return [try self.document(document, at: path, beside: try relationships(beside: path))]
        default:
            throw Failure(.data, "\(path): a schema is an object, or an array of such")
        }
    }

    private func document(_ document: BSONDocument, at path: String, beside: BSONDocument) throws -> SchemaDocument {
        guard document["bsonType"] == nil, case .document(let schema)? = document["schema"] else {
            return SchemaDocument(schema: document, relationships: beside)
        }
        switch document["relationships"] {
        case nil: return SchemaDocument(schema: schema, relationships: beside)
        case .document(let own)?: return SchemaDocument(schema: schema, relationships: own)
        default: throw Failure(.data, "\(path): relationships are an object")
        }
    }

    private func relationships(beside path: String) throws -> BSONDocument {
        let url = URL(fileURLWithPath: path)
        let other = url.deletingLastPathComponent().appendingPathComponent("relationships.json").path
        guard url.lastPathComponent == "schema.json", FileManager.default.fileExists(atPath: other) else { return [:] }
        guard case .document(let document) = try value(other) else {
            throw Failure(.data, "\(other): relationships are an object")
        }
        return document
    }

    private func value(_ path: String) throws -> BSONValue {
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        if let size, size > limits.size {
            throw Failure(
                .data,
                "\(path): the file has \(Units.bytes(size)), and \(Units.bytes(limits.size)) is the most"
            )
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Failure(.noPermission, "\(path): the file can't be read")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw Failure(.data, "\(path): the file isn't UTF-8")
        }
        do {
            return try BSONValue(
                extendedJSON: text,
                options: ExtendedJSONOptions(limits: BSONLimits(depth: 100, size: limits.size))
            )
        } catch {
            throw Failure(.data, "\(path): \(TerminalText.escaped("\(error)"))")
        }
    }
}
