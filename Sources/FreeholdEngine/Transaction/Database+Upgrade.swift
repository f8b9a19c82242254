extension Database {
    /// Upgrades a closed file of an older format to the newest format.
    ///
    /// The upgrade is a compaction whose copy is read and compared before it replaces the old file. After a killed process or a full or failing disk,
    /// the old file remains. It is then used in its old format, and the upgrade is tried again when the file is opened the next time. The next
    /// attempt overwrites the file that a killed process left.
    ///
    /// - Parameter key: the key of an encrypted file, which is encrypted again with it.
    /// - Returns: the reason why the file has kept its format, or `nil` if it was upgraded.
    @discardableResult
    static func upgrade(_ path: String, key: EncryptionKey?) -> EngineError? {
        do throws(EngineError) {
            try EnvironmentRegistry.shared.whileUnused(path: path) { path throws(EngineError) in
                _ = try rewriteUnused(path, key, checksCopy: true) { _, header in
                    // Another process may have upgraded the file.
                    header.formatVersion < Catalogue.formatVersion
                }
            }
            return nil
        } catch {
            return error
        }
    }

    /// Adds the feature for a commit log to a closed file. This is a separate commit, which is flushed without a log. After a crash, the file is
    /// unchanged or has the feature.
    ///
    /// - Returns: the reason why the file can't have a log, or `nil` if it can.
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

    /// The number of the file's format.
    package var formatVersion: UInt32 { core.header.formatVersion }
}
