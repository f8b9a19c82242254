extension Snapshot {
    /// Runs a closure that reads, and throws an error if damage was found. Without this function, damage ends the process, because most reads can't
    /// throw.
    ///
    /// - Parameter body: receives a snapshot of the same version, from which it must read. If the call throws, its results must not be used.
    /// - Throws: the errors of `body`, or `EngineError` with `.invalidDatabase`.
    package func reading<Result>(_ body: (Snapshot) throws -> Result) throws -> Result {
        let note = DamageNote()
        let result = Swift.Result { try body(noting(note)) }
        try note.check()
        return try result.get()
    }
}
