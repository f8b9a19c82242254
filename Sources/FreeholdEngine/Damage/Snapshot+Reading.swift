extension Snapshot {
    /// Reads, and throws where damage was found: without it, damage ends the process, since most reads can't throw.
    ///
    /// - Parameter body: gets a snapshot of the same version, on which it has to read. Nothing of it may be used afterwards where the call throws.
    /// - Throws: what `body` throws, or `EngineError` with `.invalidDatabase`.
    package func reading<Result>(_ body: (Snapshot) throws -> Result) throws -> Result {
        let note = DamageNote()
        let result = Swift.Result { try body(noting(note)) }
        try note.check()
        return try result.get()
    }
}
