import FreeholdSyncCore
import Testing

@testable import FreeholdServer

/// The ledger of the memory that a node uses for connections and requests.
struct MemoryLedgerTests {
    private func ledger(user: Int, node: Int = 1 << 30) -> MemoryLedger {
        var limits = NodeLimits()
        (limits.userBytes, limits.nodeBytes) = (user * 2, node)
        return MemoryLedger(limits)
    }

    private func account(_ ledger: MemoryLedger, _ user: SyncString) -> MemoryAccount {
        let account = MemoryAccount(ledger)
        account.belong(to: user)
        return account
    }

    @Test func `one piece may exceed a user's share, and nothing is added behind it`() {
        let ledger = ledger(user: 100)
        let (first, second, other) = (account(ledger, "ann"), account(ledger, "ann"), account(ledger, "ben"))
        #expect(first.add(90, of: .fragments))
        #expect(second.set(.unsent, to: 500))
        #expect(!second.set(.unsent, to: 501))
        #expect(!first.add(1, of: .messages))
        #expect(!first.isWithinShare)
        // A decrease is always possible, and another user has a share of its own.
        #expect(second.set(.unsent, to: 400))
        #expect(other.add(90, of: .bodies))
        #expect(ledger.bytesOfUsers == ["ann": 491, "ben": 90])
        #expect(ledger.node[.unsent] == 400)
        second.close()
        #expect(first.isWithinShare)
        #expect(ledger.node.bytes == 181)
    }

    @Test func `a node that is full leaves each user a part`() {
        let ledger = ledger(user: 100 << 20, node: 8 << 20)
        let (ann, ben, cleo) = (account(ledger, "ann"), account(ledger, "ben"), account(ledger, "cleo"))
        #expect(ann.add(9 << 20, of: .unsent))
        #expect(!ann.add(1, of: .unsent))
        #expect(ben.add(2 << 20, of: .unsent))
        #expect(ben.add(2 << 20, of: .unsent))
        #expect(!ben.add(1, of: .unsent))
        #expect(cleo.add(1, of: .unsent))
        ann.close()
        #expect(ben.add(1, of: .unsent))
    }

    @Test func `what was kept before its user was known counts for the user then`() {
        let ledger = ledger(user: 100)
        let stranger = MemoryAccount(ledger)
        #expect(stranger.add(500, of: .fragments))
        #expect(ledger.bytesOfUsers.isEmpty)
        stranger.belong(to: "ann")
        #expect(ledger.bytesOfUsers == ["ann": 500])
        // The user of an account never changes.
        stranger.belong(to: "ben")
        #expect(ledger.bytesOfUsers == ["ann": 500])
    }

    @Test func `an account that is released gives everything back, once`() {
        let ledger = ledger(user: 100)
        var first: MemoryAccount? = account(ledger, "ann")
        first?.add(60, of: .bodies)
        let second = account(ledger, "ann")
        second.add(50, of: .bodies)
        #expect(second.bytesOfUser(.bodies) == 110)
        second.close()
        second.close()
        #expect(second.add(70, of: .bodies))
        #expect(ledger.node.bytes == 60)
        first = nil
        #expect(ledger.node.bytes == 0)
        #expect(ledger.bytesOfUsers.isEmpty)
    }
}
