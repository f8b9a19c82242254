/// A message or changeset that an official client must never receive, or a state that its sync doesn't leave again.
///
/// A trap doesn't stop the program. The client of the tests collects traps, and tests expect none.
struct ClientTrap: Error, Hashable, Sendable, CustomStringConvertible {
    /// The end of an official client that receives the message.
    enum Effect: String, Hashable, Sendable {
        /// The app ends.
        case terminates
        /// The session is silent until it is bound again.
        case silences
        /// The client closes the connection, and its sessions stop.
        case disconnects
        /// The client and the server exchange messages without end.
        case repeats
        /// The client's data differs from the server's, or its memory is damaged.
        case damages
        /// The app's own unanswered write isn't shown any more.
        case hidesWrite
    }

    var effect: Effect
    /// The number of the rule: `N1` to `N16`, or a section of the rules of the official client.
    var rule: String
    var reason: String

    init(_ effect: Effect, rule: String, _ reason: String) {
        self.effect = effect
        self.rule = rule
        self.reason = reason
    }

    var description: String { "\(rule) (\(effect.rawValue)): \(reason)" }
}
