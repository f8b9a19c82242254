import Testing

@testable import FreeholdEngine

extension Database {
    /// Commits what the body does; where it throws, nothing.
    ///
    /// - Parameter verifies: whether the new version is looked over.
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
