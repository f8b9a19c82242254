import FreeholdBSON
import FreeholdEngine
import FreeholdSyncCore

extension AdministratorService {
    /// Handles `GET declared/APP`: returns the classes and properties that clients have declared since the server started and that the schema didn't
    /// have, or had with another type. A change is adopted if the schema has it now.
    func declared(_ app: String) throws -> BSONDocument {
        guard let served = node.app(SyncString(app))?.served else { throw AdministratorFailure.noApp }
        let (changes, known) = (served.declaredChanges, served.tables.columnNames)
        var documents: BSONDocument = [:]
        let entries = changes.all.map { entry -> BSONValue in
            let columns = known[entry.place.className]
            let isAdopted = entry.place.property.map { columns?.contains($0) ?? false } ?? (columns != nil)
            let isPending = !isAdopted || entry.differs
            var fields: BSONDocument = ["class": .string(entry.place.className)]
            if let property = entry.place.property { fields["property"] = .string(property) }
            fields["text"] = .string(entry.text)
            fields["adopted"] = .bool(!isPending)
            fields["differs"] = .bool(entry.differs)
            fields["count"] = .int64(Int64(entry.count))
            fields["first"] = .int64(entry.first)
            fields["last"] = .int64(entry.last)
            if isPending, let json = changes.document(of: entry.place.className) {
                documents[entry.place.className] = .string(json)
            }
            return .document(fields)
        }
        return [
            "app": .string(app), "development": .bool(served.isDevelopment), "declared": .array(entries),
            "documents": .document(documents),
        ]
    }
}
