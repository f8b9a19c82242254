import Foundation
import FreeholdBSON
import FreeholdServer
import FreeholdSyncRules

/// The files of a dump of a database: a folder that `mongodump` or `mongoexport` wrote.
struct DumpFiles {
    let folder: String

    private static let endings = ["bson", "json", "jsonl", "ndjson"]

    /// Returns the file of a class: `DATABASE/COLLECTION.bson`, `COLLECTION.bson` or `CLASS.bson`, also with the endings
    /// of JSON.
    func file(of className: String, in project: AppServicesProject) -> String? {
        let place = project.collections[className]
        let names = [place.map { "\($0.database)/\($0.collection)" }, place?.collection, className].compactMap { $0 }
        return find(names)
    }

    /// Returns the file of a collection.
    func file(database: String?, collection: String) -> String? {
        find([database.map { "\($0)/\(collection)" }, collection].compactMap { $0 })
    }

    private func find(_ names: [String]) -> String? {
        for name in names {
            // Names of collections may contain any character. The resulting path must be inside the folder.
            guard !name.split(separator: "/").contains("..") else { continue }
            for ending in Self.endings {
                let path = "\(folder)/\(name).\(ending)"
                if FileManager.default.fileExists(atPath: path) { return path }
            }
        }
        return nil
    }
}

/// The custom data of users, from the documents of a collection.
struct CustomDataFile {
    private var data: [String: String] = [:]
    /// Descriptions of the documents that aren't the custom data of a user, one line for each.
    private(set) var misfits: [String] = []

    static let none = CustomDataFile()

    private init() {}

    /// - Parameter field: The field with the user's id.
    init(_ path: String, field: String) throws {
        var (reader, number) = (try DocumentStreamReader(file: path), 0)
        while let document = try reader.next() {
            number += 1
            let id: String? =
                switch document[field] {
                case .string(let text)?: text
                case .objectId(let id)?: "\(id)"
                default: nil
                }
            guard let id, let text = try? document.extendedJSON(), AccountUser.isCustomData(text) else {
                if misfits.count < 20 {
                    misfits.append("document \(number): it has no text '\(field)', or more than 4 KiB")
                }
                continue
            }
            data[id.lowercased()] = text
        }
    }

    subscript(user: String) -> String? { data[user] }
}
