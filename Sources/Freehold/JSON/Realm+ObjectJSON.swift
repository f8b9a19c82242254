public import Foundation
import FreeholdEngine

extension Realm {
    /// Returns the JSON of one object in memory, in the format of ``RealmCollection/exportJSON(to:options:)-(URL,_)``.
    ///
    /// ```swift
    /// let json = try realm.jsonData(of: person, options: JSONExportOptions(properties: ["name", "home.city"]))
    /// ```
    ///
    /// The option `format` has no effect. The result contains neither an array nor a line break at the end.
    ///
    /// - Precondition: The object belongs to this realm and isn't deleted.
    /// - Throws: ``JSONError`` for a property that the class doesn't have, or for a link that can't be written.
    /// - Complexity: O(values of the object).
    public func jsonData(of object: ObjectBase, options: JSONExportOptions = JSONExportOptions()) throws -> Data {
        core.verifyThread()
        guard let table = object._table, object._core === core else {
            programmerError("jsonData(of:) was given an object that isn't one of \(core). Ask the object's own realm.")
        }
        object._verifyLive(table)
        var writer = JSONObjectWriter(core, options, output: JSONOutput(isPretty: options.isPretty) { _ in })
        try writer.object(table, object._key)
        return Data(writer.output.pending)
    }
}
