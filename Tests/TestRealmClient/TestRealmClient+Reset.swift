@testable import FreeholdRealmWire

// Client resets: section 5.11 of the rules.

extension TestRealmClient {
    /// Begins a client reset: the main session stops, and a fresh file receives the server's objects.
    mutating func beginReset(isRecoveryPossible: Bool) {
        for index in sessions.indices { sessions[index].bindsAgain = false }
        let mode: ResetTracker.Mode
        switch (resetMode, isRecoveryPossible, file.reset?.mode) {
        case (.manual, _, _): return failReset("manual")
        case (.recover, false, _): return failReset("the server doesn't permit a recovery")
        case (.recover, true, .some), (.discard, _, .some), (.recoverOrDiscard, _, .discard):
            return failReset("an earlier reset hasn't ended")
        case (.recover, true, nil): mode = .recover
        case (.discard, _, nil), (.recoverOrDiscard, false, _): mode = .discard
        case (.recoverOrDiscard, true, let earlier): mode = earlier == nil ? .recover : .discard
        }
        file.reset = ResetTracker(mode: mode)
        // The sets of a reset have other versions, and what was stored of a bootstrap is worth nothing.
        file.discardOpenBootstrap()
        fresh = ClientFile(resetting: file)
        isFreshComplete = false
        events.append(.beforeReset)
        begin(.fresh, reason: 1)
    }

    /// Ends a reset that can't succeed. The file stays as it is, and doesn't sync any more.
    mutating func failReset(_ reason: String) {
        events.append(.resetFailed(reason))
        fresh = nil
        for index in sessions.indices {
            if !sessions[index].isUnbindSent { sessions[index].mustUnbind = true }
            sessions[index].bindsAgain = false
        }
        isStopped = true
    }

    /// Merges the fresh file into the main one, after the bind of the main session.
    ///
    /// - Returns: `false` if the reset has failed.
    mutating func mergeFresh() -> Bool {
        guard let fresh, let mode = file.reset?.mode else { return true }
        do {
            try file.reset(to: fresh, isRecovering: mode == .recover)
        } catch {
            failReset("\(error)")
            return false
        }
        self.fresh = nil
        isFreshComplete = false
        file.reset?.isMerged = true
        events.append(.afterReset(isRecovered: mode == .recover))
        return true
    }

    /// Removes the record of a reset after all downloads and uploads have completed.
    mutating func endReset() {
        guard file.reset?.isMerged == true, file.isUploaded, file.isSubscribed else { return }
        file.reset = nil
    }
}
