import Testing

@testable import FreeholdEngine

extension Database {
    /// Commits the changes of the body, or nothing if it throws.
    ///
    /// - Parameter verifies: Whether the new version is verified.
    @discardableResult
    func write(verifies: Bool = true, _ body: (WriteTransaction) throws -> Void) throws -> Snapshot {
        let transaction = try beginWrite()
        do { try body(transaction) } catch {
            transaction.cancel()
            throw error
        }
        let snapshot = try transaction.commit()
        if verifies { expectEqual(snapshot.verify(), []) }
        return snapshot
    }
}
