@testable import FreeholdRealmWire

// Errors of sessions and connections: section 5.9 of the rules.

extension TestRealmClient {
    private static let fatalCodes: Set<Int> = [104, 202, 203, 205, 207, 214, 215, 218, 219, 220, 221, 224]
    private static let knownActions: Set<String> = [
        "NoAction", "ProtocolViolation", "ApplicationBug", "Warning", "Transient", "DeleteRealm", "ClientReset",
        "ClientResetNoRecovery", "MigrateToFLX", "RevertToPBS", "MigrateSchema", "RefreshUser", "RefreshLocation",
        "LogOutUser",
    ]

    mutating func checkForm(of error: ServerError) {
        if Self.fatalCodes.contains(error.code) { trap(.terminates, rule: "7.1.1", "the code \(error.code)") }
        if (error.code >= 200) != (error.session != 0) {
            trap(.disconnects, rule: "7.1.13", "the code \(error.code) in session \(error.session)")
        }
        if error.code == 231, error.compensation == nil {
            trap(.terminates, rule: "7.1.2", "the code 231 without refused changes")
        }
        if error.code == 231, !error.tryAgain { trap(.silences, rule: "N7", "a refusal that can't be tried again") }
        if error.code == 236, (error.previousSchemaVersion ?? -1) < 0 {
            trap(.terminates, rule: "7.1.3", "the code 236 without the earlier version")
        }
        if ["MigrateToFLX", "RevertToPBS"].contains(error.action) {
            trap(.terminates, rule: "7.1.12", "the action \(error.action)")
        }
        if error.action == "Transient", !error.tryAgain {
            trap(.silences, rule: "7.1.16", "a transient error that can't be tried again")
        }
        if !Self.knownActions.contains(error.action) {
            trap(.silences, rule: "N13", "the unknown action \(error.action)")
        }
    }

    /// Ends the connection because of an error without a session.
    mutating func endConnection(_ error: ServerError) {
        disconnect()
        act(on: error, at: nil)
    }

    mutating func take(_ error: ServerError, at index: Int) {
        if error.code == 231 { return hold(error, at: index) }
        if error.code == 236 {
            events.append(.migrationRequired(previous: error.previousSchemaVersion ?? -1))
            return
        }
        sessions[index].isDead = true
        sessions[index].mustUnbind = true
        sessions[index].bindsAgain = error.tryAgain
        act(on: error, at: index)
    }

    private mutating func act(on error: ServerError, at index: Int?) {
        switch error.action {
        case "Transient", "NoAction": break
        case "Warning": events.append(.error(code: error.code, action: error.action, message: error.message))
        case "RefreshUser": requests.append(.renewToken)
        case "RefreshLocation": requests.append(.location)
        case "ClientReset", "ClientResetNoRecovery":
            if let index, sessions[index].role == .fresh { return failReset(error.message) }
            beginReset(isRecoveryPossible: error.action == "ClientReset")
        case "LogOutUser":
            events.append(.loggedOut)
            isStopped = true
        default:
            if let index, sessions[index].role == .fresh { failReset(error.message) }
            events.append(.error(code: error.code, action: error.action, message: error.message))
            isStopped = true
        }
    }

    /// The server or the network closed the connection: N10.
    mutating func closed(code: Int) {
        guard isConnected else { return }
        disconnect()
        switch code {
        case 1000: trap(.silences, rule: "7.1.17", "the server closed the connection with the code 1000")
        case 1001, 1011: events.append(.connectionReported(code))
        case 1009: beginReset(isRecoveryPossible: true)
        case 4001: requests.append(.renewToken)
        case 4003: requests.append(.location)
        default: break
        }
    }
}
