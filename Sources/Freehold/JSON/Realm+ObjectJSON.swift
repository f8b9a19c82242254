public import Foundation
import FreeholdEngine

extension Realm {
    /// The JSON of one object, in memory: what ``RealmCollection/exportJSON(to:options:)-(URL,_)`` writes of it.
    ///
    /// ```swift
    /// let json = try realm.jsonData(of: person, options: JSONExportOptions(properties: ["name", "home.city"]))
    /// ```
    ///
    /// The options' format doesn't matter: there is nothing around the object, and no line break behind it.
    ///
    /// - Precondition: the object is one of this realm and isn't deleted.
    /// - Throws: ``JSONError``: a property that the class doesn't have, or a link that can't be written.
    /// - Complexity: O(values of the object).
    public func jsonData(of object: ObjectBase, options: JSONExportOptions = JSONExportOptions()) throws -> Data {
        core.verifyThread()
        guard let table = object._table, object._core === core else {
            programmerError("jsonData(of:) was given an object that isn't one of \(core). Ask the object's own realm.")
        }
        object._verifyLive(table)
        var writer = JSONObjectWriter(core, options, JSONOutput(isPretty: options.isPretty) { _ in })
        try writer.object(table, object._key)
        return Data(writer.output.pending)
    }
}
