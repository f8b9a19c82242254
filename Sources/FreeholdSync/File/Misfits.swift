import Freehold
import FreeholdEngine
import FreeholdSyncCore
import Synchronization

/// Values that came from the server and that the app's classes don't represent, or that the file can't hold. Each property is reported once.
///
/// A value that a property's type doesn't represent is stored: a later version of the app may read it. A value that the file can't hold is left
/// out.
final class Misfits: Sendable {
    /// The properties whose types don't represent all values, by the names of class and property in the file.
    private let narrow: [String: [String: NarrowProperty]]
    private let state = Mutex(State())
    private let report: @Sendable (String) -> Void

    private struct State {
        var reported: Set<[String]> = []
        var texts: [String] = []
    }

    /// - Parameter report: receives a sentence. It is called after the transaction that stored the value, on the file's queue.
    init(_ properties: [NarrowProperty], report: @escaping @Sendable (String) -> Void) {
        narrow = Dictionary(grouping: properties, by: \.table).mapValues { properties in
            Dictionary(properties.map { ($0.column, $0) }) { first, _ in first }
        }
        self.report = report
    }

    /// Notes a value that the type of its property doesn't represent.
    func look(at value: Value, _ column: Column, _ table: Table) {
        guard let property = narrow[table.name]?[column.name], !property.represents(value) else { return }
        note([property.table, property.column]) {
            "A value of \(property.name) came that its type doesn't represent. It reads as the nearest number, as nil or as the default value. "
                + "Declare a wider type."
        }
    }

    func note(left column: Column, _ table: Table, _ reason: String) {
        note([table.name, column.name, "left out"]) {
            "A value of \(table.name).\(column.name) came that has no room in the file, and was left out. \(reason)"
        }
    }

    /// Notes what else the app has to know.
    func note(_ text: String) { state.withLock { $0.texts.append(text) } }

    private func note(_ key: [String], _ text: () -> String) {
        state.withLock { state in if state.reported.insert(key).inserted { state.texts.append(text()) } }
    }

    /// Reports what was noted. No transaction is open then.
    func deliver() {
        let texts = state.withLock { state in
            defer { state.texts = [] }
            return state.texts
        }
        for text in texts { report(text) }
    }
}
