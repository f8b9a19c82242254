package import Foundation

/// The refresh tokens of one log-in, and the rules for their use. A store reads the tokens, passes them to this type to compute the effect of a use,
/// and stores the effect.
///
/// Each token except the first one has a parent: the token that was presented when it was created, or a later token of the same line.
package struct LoginTokens: Sendable {
    package struct Token: Hashable, Sendable {
        package var digest: String
        package var parent: String
        package var created: Date
        package var expires: Date
        /// The time at which a successor of the token was used.
        package var replaced: Date?

        package init(digest: String, parent: String, created: Date, expires: Date, replaced: Date?) {
            (self.digest, self.parent, self.created) = (digest, parent, created)
            (self.expires, self.replaced) = (expires, replaced)
        }
    }

    private let tokens: [Token]

    package init(_ tokens: [Token]) { self.tokens = tokens }

    package enum Use: Hashable, Sendable {
        case good
        case expired
        /// Two clients have the token, so it may have been stolen. The log-in has to end.
        case stolen
    }

    /// Returns the effect of a use of a token.
    ///
    /// A token that was replaced more than `AccountStore.overlap` ago is stolen. The same applies to a token whose sibling, another successor of the
    /// same token, was used before. Then two clients continue from the same token.
    package func use(of digest: String, at now: Date) -> Use {
        guard let token = token(digest) else { return .expired }
        let isLate = token.replaced.map { now.timeIntervalSince($0) > AccountStore.overlap } ?? false
        // The first token of a log-in has no siblings.
        let isForked =
            !token.parent.isEmpty
            && successors(of: token.parent).contains { $0.digest != digest && isUsed($0.digest) }
        if isLate || isForked { return .stolen }
        return token.expires > now ? .good : .expired
    }

    /// The changes that a renewal makes, in addition to the new token.
    package struct Renewal: Hashable, Sendable {
        /// The token whose successor was used for the first time.
        package var replaced: String?
        /// The parent of the new token.
        package var parent: String
        /// The tokens that are deleted, because the log-in has too many.
        package var removed: [String]
    }

    /// Returns the changes of a renewal.
    ///
    /// - Parameters:
    ///   - digest: The token that is presented.
    ///   - successor: The new token.
    package func renewal(of digest: String, successor: String) -> Renewal {
        let parent = token(digest).flatMap { token($0.parent) }
        let isFirstUse = parent.map { $0.replaced == nil } ?? false
        return Renewal(
            replaced: isFirstUse ? parent?.digest : nil,
            parent: newest(after: digest),
            removed: removed(for: successor, keeping: digest)
        )
    }

    /// Returns the oldest tokens of a log-in that has too many. The presented token isn't among them: if answers are lost, the client has only this
    /// token, which can be old.
    private func removed(for successor: String, keeping digest: String) -> [String] {
        let count = tokens.count + 1
        guard count > AccountStore.keptTokens.most else { return [] }
        var others = tokens.filter { $0.digest != digest && $0.digest != successor }
        others.sort { $0.created < $1.created }
        return others.prefix(count - AccountStore.keptTokens.least).map(\.digest)
    }

    /// Returns the last used token of the line that continues from a token. While an old token is still valid, its new successors are added after
    /// that token. Otherwise they would be siblings of used tokens and count as thefts.
    private func newest(after digest: String) -> String {
        var last = digest
        while let next = successors(of: last).first(where: { isUsed($0.digest) }) { last = next.digest }
        return last
    }

    private func token(_ digest: String) -> Token? { tokens.first { $0.digest == digest } }

    private func successors(of digest: String) -> [Token] { tokens.filter { $0.parent == digest } }

    private func isUsed(_ digest: String) -> Bool { tokens.contains { $0.parent == digest } }
}
