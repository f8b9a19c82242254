extension Database {
    /// Makes a file of an older format one of the newest, if nobody has it open.
    ///
    /// It is a compaction whose copy is read again before it takes the old file's place: so a process that is killed, a full
    /// disk or a failing one leaves the old file, which then goes on being used in its format and is tried again when it
    /// is opened next. What a killed process leaves beside it is overwritten then.
    ///
    /// - Parameter key: of an encrypted file, which is sealed anew with it.
    /// - Returns: why the file has kept its format; nil where it hasn't.
    @discardableResult
    static func upgrade(_ path: String, key: EncryptionKey?) -> EngineError? {
        do throws(EngineError) {
            try EnvironmentRegistry.shared.whileUnused(path: path) { path throws(EngineError) in
                _ = try rewriteUnused(path, key, checksCopy: true) { _, header in
                    // Somebody may have been faster.
                    header.formatVersion < Catalogue.formatVersion
                }
            }
            return nil
        } catch {
            return error
        }
    }

    /// The format of the file.
    package var formatVersion: UInt32 { core.header.formatVersion }
}
