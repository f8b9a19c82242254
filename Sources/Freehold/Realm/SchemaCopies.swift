import FreeholdEngine
import Synchronization

/// The copies of a file's schema that its realms read through, one for each that is alive.
///
/// To pass a table or a column on counts references of it. Threads that do so to the same objects wait for each other's
/// caches: two readers would read less than one.
final class SchemaCopies: Sendable {
    private struct State {
        var origin: DatabaseSchema?
        /// Those that no realm uses. The schema itself is the first.
        var free: [DatabaseSchema] = []
    }

    private let state = Mutex(State())
    private static let kept = 64

    /// What says the same as the schema and is used by nobody else, until it is given back.
    func take(_ schema: DatabaseSchema) -> DatabaseSchema {
        let origin = schema.origin
        let found = state.withLock { state in
            if state.origin !== origin { state = State(origin: origin, free: [origin]) }
            return state.free.popLast()
        }
        return found ?? origin.copy()
    }

    func give(_ schema: DatabaseSchema) {
        state.withLock { state in
            if state.origin === schema.origin, state.free.count < Self.kept { state.free.append(schema) }
        }
    }
}
