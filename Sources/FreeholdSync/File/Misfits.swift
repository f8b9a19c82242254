import Freehold
import FreeholdEngine
import FreeholdSyncCore
import Synchronization

/// Values from the server that the app's classes don't represent, or that the file can't store. Each property is
/// reported once.
///
/// A value that the type of its property doesn't represent is stored, because a later version of the app may read it. A
/// value that the file can't store is left out.
final class Misfits: Sendable {
    /// The properties whose types don't represent all stored values, by the names of class and property in the file.
    private let narrow: [String: [String: NarrowProperty]]
    private let state = Mutex(State())
    private let report: @Sendable (String) -> Void

    private struct State {
        var reported: Set<[String]> = []
        var texts: [String] = []
    }

    /// - Parameter report: Receives a sentence. It is called on the file's queue, after the transaction that stored the
    ///   value.
    init(_ properties: [NarrowProperty], report: @escaping @Sendable (String) -> Void) {
        narrow = Dictionary(grouping: properties, by: \.table).mapValues { properties in
            Dictionary(properties.map { ($0.column, $0) }) { first, _ in first }
        }
        self.report = report
    }

    /// Records a value that the type of its property doesn't represent.
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

    /// Records another message for the app.
    func note(_ text: String) { state.withLock { $0.texts.append(text) } }

    private func note(_ key: [String], _ text: () -> String) {
        state.withLock { state in if state.reported.insert(key).inserted { state.texts.append(text()) } }
    }

    /// Reports the recorded messages. It is called when no transaction is open.
    func deliver() {
        let texts = state.withLock { state in
            defer { state.texts = [] }
            return state.texts
        }
        for text in texts { report(text) }
    }
}
