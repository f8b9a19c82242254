import Synchronization

/// The log-ins of readers that follow changes over HTTP. Like a socket, a change stream ends with the log-in that
/// opened it.
final class ChangeSeats: Sendable {
    private let taken = Mutex<[ObjectIdentifier: Entry]>([:])

    private struct Entry {
        let login: String?
        let end: Flag
    }

    fileprivate final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    func take(_ identity: Identity) -> ChangeSeat {
        let flag = Flag()
        taken.withLock { $0[ObjectIdentifier(flag)] = Entry(login: identity.login, end: flag) }
        return ChangeSeat(self, flag)
    }

    fileprivate func leave(_ flag: Flag) { taken.withLock { $0[ObjectIdentifier(flag)] = nil } }

    var logins: Set<String> { taken.withLock { Set($0.values.compactMap(\.login)) } }

    func end(_ logins: Set<String>) {
        taken.withLock { taken in
            for entry in taken.values {
                guard let login = entry.login, logins.contains(login) else { continue }
                entry.end.isSet.store(true, ordering: .relaxed)
            }
        }
    }
}

/// The registration of a reader. It ends with the last reference to it.
final class ChangeSeat: Sendable {
    private let seats: ChangeSeats
    private let flag: ChangeSeats.Flag

    fileprivate init(_ seats: ChangeSeats, _ flag: ChangeSeats.Flag) { (self.seats, self.flag) = (seats, flag) }

    deinit { seats.leave(flag) }

    /// A Boolean value that indicates whether the log-in has ended.
    var isOver: Bool { flag.isSet.load(ordering: .relaxed) }
}
