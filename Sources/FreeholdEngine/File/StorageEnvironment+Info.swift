import CFreeholdLMDB

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// The sizes of an environment.
struct StorageInfo: Equatable, Sendable {
    let mapSize: UInt64
    let pageSize: Int
    /// The number of pages up to the last page of the newest version.
    let pageCount: UInt64
    let fileSize: UInt64
    let version: UInt64
    let maximumReaders: Int
}

extension StorageEnvironment {
    /// The sizes, or `nil` if the environment is closed.
    var info: StorageInfo? {
        whileOpen {
            let info = environmentInfo()
            return StorageInfo(
                mapSize: info.me_mapsize.asUInt64,
                pageSize: pageSize,
                pageCount: info.me_last_pgno.asUInt64 + 1,
                fileSize: fileSize,
                version: info.me_last_txnid.asUInt64,
                maximumReaders: Int(info.me_maxreaders)
            )
        }
    }

    var fileSize: UInt64 {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? UInt64(status.st_size) : 0
    }

    /// Returns the readers of all processes and the versions that they pin.
    func readerList() -> [ReaderInfo] {
        let lines = whileOpen {
            var lines: [String] = []
            withUnsafeMutablePointer(to: &lines) { lines in
                _ = mdb_reader_list(
                    handle,
                    { text, context in
                        let lines = context!.assumingMemoryBound(to: [String].self)
                        if let text { lines.pointee.append(String(cString: text)) }
                        return 0
                    },
                    lines
                )
            }
            return lines
        }
        let since = firstBeginnings
        // The pin of the commit log isn't a reader.
        var pinned = commitLog?.pinnedVersion
        return (lines ?? []).compactMap { line in
            // The format is "pid thread(hex) version". Unused slots have "-", and the first line consists of words.
            let fields = line.split(whereSeparator: \.isWhitespace)
            guard fields.count == 3, let process = Int32(fields[0]), let thread = UInt64(fields[1], radix: 16),
                let version = UInt64(fields[2])
            else { return nil }
            if version == pinned, process == getpid() {
                pinned = nil
                return nil
            }
            return ReaderInfo(
                processIdentifier: process,
                thread: thread,
                version: version,
                since: process == getpid() ? since[version] : nil
            )
        }
    }

    /// Frees the reader slots of processes that died. Returns their number.
    @discardableResult
    func clearStaleReaders() -> Int {
        let dead = whileOpen {
            var dead: Int32 = 0
            mdb_reader_check(handle, &dead)
            return dead
        }
        return Int(dead ?? 0)
    }
}
