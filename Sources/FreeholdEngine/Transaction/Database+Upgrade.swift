extension Database {
    /// Makes a file of an older format one of the newest, if nobody has it open.
    ///
    /// It is a compaction whose copy is read again before it takes the old file's place: so a process that is killed, a full
    /// disk or a failing one leaves the old file, which then goes on being used in its format and is tried again when it
    /// is opened next. What a killed process leaves beside it is overwritten then.
    ///
    /// - Parameter key: of an encrypted file, which is sealed anew with it.
    /// - Returns: why the file has kept its format, or `nil` if it hasn't.
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

    /// Lets a file have a commit log, if nobody has it open. It is a commit of its own, flushed as ever: a crash leaves the file as
    /// it was, or with the feature.
    ///
    /// - Returns: why it can't have one, or `nil` if it can.
    @discardableResult
    static func allowCommitLog(_ path: String, key: EncryptionKey?) -> EngineError? {
        do throws(EngineError) {
            try EnvironmentRegistry.shared.whileUnused(path: path) { path throws(EngineError) in
                var options = StorageOptions()
                options.isAlone = true
                guard
                    case .opened(let file) = try StorageEnvironment.openNow(path: path, options: options, presence: nil)
                else { return }
                defer { file.close() }
                let header: DatabaseHeader
                do {
                    let reader = try file.beginRead()
                    header = try DatabaseHeader.decode(try reader.find(DatabaseHeader.address), path: path)
                }
                guard header.formatVersion > 4, !header.requiredFeatures.contains(.commitLog) else { return }
                let envelope = try header.envelope(key, path: path)
                file.order = header.order
                let bytes = header.allowingCommitLog(envelope).encoded()
                try file.writer.sync { () throws(EngineError) in
                    let writer = try file.beginWrite(envelope)
                    do throws(EngineError) {
                        try withUnsafeBytesOf(bytes) { (raw) throws(EngineError) in
                            try writer.put(DatabaseHeader.address, raw)
                        }
                        _ = try writer.commit()
                    } catch {
                        writer.abort()
                        throw error
                    }
                    file.trim()
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
