import Synchronization

/// The log-ins of readers that follow changes over HTTP. Like a socket, a change stream ends with the log-in that
/// opened it.
final class ChangeSeats: Sendable {
    /// The seats of log-ins.
    private let taken = Mutex<[String: [ObjectIdentifier: Flag]]>([:])

    fileprivate final class Flag: Sendable {
        let login: String?
        let isSet = Atomic(false)

        init(_ login: String?) { self.login = login }
    }

    func take(_ identity: Identity) -> ChangeSeat {
        let flag = Flag(identity.login)
        if let login = flag.login { taken.withLock { $0[login, default: [:]][ObjectIdentifier(flag)] = flag } }
        return ChangeSeat(self, flag)
    }

    fileprivate func leave(_ flag: Flag) {
        guard let login = flag.login else { return }
        taken.withLock { taken in
            taken[login]?[ObjectIdentifier(flag)] = nil
            if taken[login]?.isEmpty == true { taken[login] = nil }
        }
    }

    var logins: Set<String> { taken.withLock { Set($0.keys) } }

    /// - Complexity: O(log-ins, their seats)
    func end(_ logins: Set<String>) {
        taken.withLock { taken in
            for login in logins {
                for flag in (taken[login] ?? [:]).values { flag.isSet.store(true, ordering: .relaxed) }
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
