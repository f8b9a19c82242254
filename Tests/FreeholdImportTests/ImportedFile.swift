import Foundation
import Freehold
import FreeholdEngine
import FreeholdImport
import TestRealmFiles

/// Calls a block with a temporary folder, and removes the folder afterwards.
func withFolder<R>(_ body: (URL) throws -> R) throws -> R {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("freehold-import-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
}

func names(in folder: URL) -> [String] {
    try! FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
}

extension RealmFixture {
    var keyData: Data? { key.map { Data($0) } }

    /// Imports the file into the folder, as "new.realm".
    @discardableResult
    func imported(to folder: URL) throws -> (report: RealmImportReport, url: URL) {
        let url = folder.appendingPathComponent("new.realm")
        let report = try Realm.importRealmFile(at: self.url, to: .init(fileURL: url), key: keyData)
        return (report, url)
    }
}

extension DataView {
    func requireTable(_ name: String) -> Table { schema.table(named: name)! }

    /// Returns the values like a `RealmFile`: all values by the columns' names, collections as a `.list` or
    /// `.dictionary`.
    func values(_ table: Table, _ key: ObjectKey) -> [String: Value] {
        var values: [String: Value] = [:]
        for column in table.columns {
            values[column.name] =
                switch column.collection {
                case .none: value(column, key)
                case .list, .set: .list(NestedList(listValues(column, key)))
                case .dictionary:
                    .dictionary(NestedDictionary(dictionaryEntries(column, key).map { .init($0.key, $0.value) }))
                }
        }
        return values
    }
}
