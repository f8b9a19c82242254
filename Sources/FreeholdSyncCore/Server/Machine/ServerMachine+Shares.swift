/// The number of a user's requests that the store has, and the user's requests that wait.
struct RequestShare: Sendable {
    var running = 0
    var waiting: ArraySlice<(number: RequestNumber, request: ServerStoreRequest)> = []
    /// The number of pieces of work for the user's sessions that the caller is executing.
    var works = 0
}

/// The limit for each user's requests to the store. A few requests of a user run at the same time, and the others wait here, so that one user's
/// requests don't fill the store's queue.
///
/// Requests of groups, and requests that store uploads, don't count. A stream has one group, and credit bounds the uploads.
extension ServerMachine {
    /// The number of waiting requests and pieces of work of one user at which the user's next messages also have to wait.
    private static var busyCount: Int { 32 }

    /// Returns whether so much work of a user waits that the user's next messages should also wait.
    ///
    /// - Complexity: O(1)
    public func isBusy(_ user: SyncString) -> Bool {
        guard let share = shares[user] else { return false }
        return share.waiting.count + share.works >= Self.busyCount
    }

    mutating func ask(_ number: RequestNumber, _ request: ServerStoreRequest, of user: SyncString) {
        guard !user.string.isEmpty else { return actions.append(.request(number, request)) }
        askers[number] = user
        if shares[user, default: RequestShare()].running < configuration.requestsPerUser {
            shares[user, default: RequestShare()].running += 1
            actions.append(.request(number, request))
        } else {
            shares[user]?.waiting.append((number, request))
        }
    }

    /// Removes an answered request from its user's share, and makes the user's next request.
    mutating func giveShare(of number: RequestNumber) {
        guard let user = askers.removeValue(forKey: number) else { return }
        shares[user]?.running -= 1
        while let next = shares[user]?.waiting.popFirst() {
            // The session of the request has ended.
            if let key = purposes[next.number]?.purpose.session, sessions[key] == nil {
                purposes[next.number] = nil
                askers[next.number] = nil
                continue
            }
            shares[user]?.running += 1
            actions.append(.request(next.number, next.request))
            break
        }
        forgetShare(of: user)
    }

    /// Changes the number of pieces of work that the caller is executing for a user.
    mutating func countWork(of user: SyncString, _ difference: Int) {
        shares[user, default: RequestShare()].works += difference
        forgetShare(of: user)
    }

    private mutating func forgetShare(of user: SyncString) {
        guard let share = shares[user], share.running == 0, share.waiting.isEmpty, share.works == 0 else { return }
        shares[user] = nil
    }
}

extension ServerMachine.Purpose {
    /// The session that needs the answer. Nil if the request is made in any case.
    fileprivate var session: SessionKey? {
        switch self {
        case .bind(let key), .identity(let key, _, _, _), .step(let key, _), .page(let key, _), .fetch(let key, _, _):
            key
        case .rows, .commit, .part, .parts, .kept, .whole, .head, .follow, .gap, .check, .writer, .firstHead, .guest,
            .note, .noteFront:
            nil
        }
    }
}
