import FreeholdEngine
import Synchronization

/// The copies of a file's schema through which its realms read. Each live realm has its own copy.
///
/// Passing a table or a column counts references of it. If threads do this with the same objects, they contend for
/// cache lines, so that two readers would read less than one.
final class SchemaCopies: Sendable {
    private struct State {
        var origin: DatabaseSchema?
        /// The copies that no realm uses. The schema itself is the first.
        var free: [DatabaseSchema] = []
    }

    private let state = Mutex(State())
    private static let kept = 64

    /// Returns a copy of the schema that no other realm uses until it is returned.
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
