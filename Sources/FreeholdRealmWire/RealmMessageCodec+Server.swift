// The messages of servers.

extension RealmMessageCodec {
    /// Reads a message of a server from one WebSocket frame.
    ///
    /// - Throws: `WireError` if the bytes aren't one whole message of a known kind.
    /// - Complexity: O(*n*). The changesets of a download aren't decoded.
    public func serverMessage(_ frame: [UInt8]) throws(WireError) -> RealmServerMessage {
        guard frame.count <= limits.message else { throw WireError(.tooLarge, "A message is too large") }
        var reader = HeaderReader(frame[...])
        let message: RealmServerMessage
        switch try reader.name() {
        case "ident":
            let session = try reader.unsigned()
            let file = RealmFileIdent(ident: try reader.unsigned(), salt: try reader.signed())
            message = .ident(session: session, file: file)
        case "download": message = .download(try download(&reader))
        case "mark": message = .mark(session: try reader.unsigned(), number: try reader.unsigned())
        case "unbound": message = .unbound(session: try reader.unsigned())
        case "pong": message = .pong(timestamp: try reader.unsigned())
        case "json_error": message = .error(try error(&reader))
        case "query_error":
            let code = try reader.signed()
            let size = try reader.size()
            let session = try reader.unsigned()
            let version = try reader.signed()
            message = .queryError(
                session: session,
                code: Int(code),
                version: version,
                message: try text(reader.body(size))
            )
        case "log_message":
            let session = try reader.unsigned()
            let size = try reader.size()
            let body = try WireJSON(bytes: reader.body(size), depth: limits.json)
            message = .log(
                session: session,
                level: try string("level", of: body),
                message: try string("msg", of: body),
                coID: try string("co_id", of: body)
            )
        default: throw reader.error(.invalidHeader, "There is no message of this name")
        }
        try reader.end()
        return message
    }

    private func text(_ bytes: ArraySlice<UInt8>) throws(WireError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw WireError(.invalidValue, "A text isn't valid UTF-8")
        }
        return text
    }

    private func string(_ name: String, of body: WireJSON) throws(WireError) -> String {
        guard let text = body[name]?.string else { throw WireError(.invalidJSON, "The field \(name) is missing") }
        return text
    }

    private func bool(_ name: String, of body: WireJSON) throws(WireError) -> Bool {
        guard let value = body[name]?.bool else { throw WireError(.invalidJSON, "The field \(name) is missing") }
        return value
    }

    private func number(_ name: String, of body: WireJSON) throws(WireError) -> UInt64 {
        guard let value = body[name]?.integer, value >= 0 else {
            throw WireError(.invalidJSON, "The field \(name) is missing")
        }
        return UInt64(value)
    }

    private func download(_ reader: inout HeaderReader) throws(WireError) -> RealmServerMessage.Download {
        let session = try reader.unsigned()
        let cursor = DownloadCursor(server: try reader.unsigned(), client: try reader.unsigned())
        let latest = LatestVersion(version: try reader.unsigned(), salt: try reader.signed())
        let upload = UploadCursor(client: try reader.unsigned(), server: try reader.unsigned())
        let queryVersion = try reader.signed()
        guard let batch = RealmServerMessage.Download.Batch(rawValue: try reader.size()) else {
            throw reader.error(.invalidHeader, "There is no batch of this kind")
        }
        let progress: Double
        if version >= 12 {
            progress = try reader.fraction()
        } else {
            progress = try reader.bool() ? 1 : 0
        }
        let words = (isPacked: try reader.bool(), size: try reader.size(), packedSize: try reader.size())
        var message = RealmServerMessage.Download(
            session: session,
            download: cursor,
            latest: latest,
            upload: upload,
            queryVersion: queryVersion,
            batch: batch,
            progress: progress,
            entries: []
        )
        var body = HeaderReader(try expanded(&reader, words))
        while !body.isAtEnd {
            guard message.entries.count < limits.entries else {
                throw body.error(.tooLarge, "A download has too many entries")
            }
            let versions = (server: try body.unsigned(), client: try body.unsigned())
            let origin = (timestamp: try body.unsigned(), ident: try body.unsigned())
            let original = try body.unsigned()
            let size = try body.size()
            message.entries.append(
                DownloadEntry(
                    serverVersion: versions.server,
                    clientVersion: versions.client,
                    timestamp: origin.timestamp,
                    origin: origin.ident,
                    originalSize: original,
                    changeset: try body.entry(size)
                )
            )
        }
        return message
    }

    private func error(_ reader: inout HeaderReader) throws(WireError) -> ServerError {
        let code = try reader.signed()
        let size = try reader.size()
        let session = try reader.unsigned()
        let body = try WireJSON(bytes: reader.body(size), depth: limits.json)
        var error = ServerError(
            session: session,
            code: Int(code),
            message: try string("message", of: body),
            tryAgain: try bool("tryAgain", of: body),
            action: try string("action", of: body)
        )
        error.logURL = try string("logURL", of: body)
        error.shouldClientReset = try bool("shouldClientReset", of: body)
        error.isRecoveryModeDisabled = try bool("isRecoveryModeDisabled", of: body)
        error.previousSchemaVersion = body["previousSchemaVersion"]?.integer
        guard body["compensatingWriteServerVersion"] != nil else { return error }
        var compensation = ServerError.Compensation(
            serverVersion: try number("compensatingWriteServerVersion", of: body),
            clientVersion: try number("rejectedClientVersion", of: body),
            updates: []
        )
        guard case .array(let updates) = body["rejectedUpdates"] else {
            throw WireError(.invalidJSON, "The field rejectedUpdates is missing")
        }
        for update in updates {
            compensation.updates.append(
                ServerError.Compensation.Update(
                    reason: try string("reason", of: update),
                    object: WireObject(
                        table: WireText(try string("table", of: update)),
                        key: try KeyText.key(of: string("pk", of: update))
                    )
                )
            )
        }
        error.compensation = compensation
        return error
    }

    // MARK: Writing

    /// Returns the frame of a server's message.
    ///
    /// - Throws: `WireError` if this version of the protocol doesn't have the message.
    public func encoded(_ message: RealmServerMessage) throws(WireError) -> [UInt8] {
        switch message {
        case .ident(let session, let file): return Array("ident \(session) \(file.ident) \(file.salt)\n".utf8)
        case .download(let download): return try encoded(download)
        case .mark(let session, let number): return Array("mark \(session) \(number)\n".utf8)
        case .unbound(let session): return Array("unbound \(session)\n".utf8)
        case .pong(let timestamp): return Array("pong \(timestamp)\n".utf8)
        case .error(let error):
            let body = try Self.body(of: error).bytes
            return Array("json_error \(error.code) \(body.count) \(error.session)\n".utf8) + body
        case .queryError(let session, let code, let version, let message):
            return Array("query_error \(code) \(message.utf8.count) \(session) \(version)\n\(message)".utf8)
        case .log(let session, let level, let message, let coID):
            guard version >= 10 else {
                throw WireError(.unsupported, "This version of the protocol has no log messages")
            }
            let body = WireJSON.object([
                .init("level", .string(level)), .init("msg", .string(message)), .init("co_id", .string(coID)),
            ]).bytes
            return Array("log_message \(session) \(body.count)\n".utf8) + body
        }
    }

    private func encoded(_ download: RealmServerMessage.Download) throws(WireError) -> [UInt8] {
        let progress: String
        switch download.progress {
        case 0: progress = "0"
        case 1: progress = "1"
        case let value where version >= 12 && value > 0 && value < 1: progress = "\(value)"
        default: throw WireError(.unsupported, "This version of the protocol has no such progress")
        }
        var body: [UInt8] = []
        body.reserveCapacity(download.entries.reduce(0) { $0 + $1.changeset.count + 64 })
        for entry in download.entries {
            let words =
                "\(entry.serverVersion) \(entry.clientVersion) \(entry.timestamp) \(entry.origin) "
                + "\(entry.originalSize) \(entry.changeset.count) "
            body += words.utf8
            body += entry.changeset
        }
        let packed = packed(body)
        let words =
            "download \(download.session) \(download.download.server) \(download.download.client) "
            + "\(download.latest.version) \(download.latest.salt) \(download.upload.client) \(download.upload.server) "
            + "\(download.queryVersion) \(download.batch.rawValue) \(progress) \(packed.isPacked ? 1 : 0) \(packed.size) "
            + "\(packed.packedSize)\n"
        return Array(words.utf8) + packed.bytes
    }

    private static func body(of error: ServerError) throws(WireError) -> WireJSON {
        var members: [WireJSON.Member] = [
            .init("message", .string(error.message)), .init("tryAgain", .bool(error.tryAgain)),
            .init("logURL", .string(error.logURL)), .init("shouldClientReset", .bool(error.shouldClientReset)),
            .init("isRecoveryModeDisabled", .bool(error.isRecoveryModeDisabled)),
            .init("action", .string(error.action)),
        ]
        if let compensation = error.compensation {
            guard let server = Int64(exactly: compensation.serverVersion),
                let client = Int64(exactly: compensation.clientVersion)
            else { throw WireError(.invalidValue, "A version is too large") }
            members.append(.init("compensatingWriteServerVersion", .integer(server)))
            members.append(.init("rejectedClientVersion", .integer(client)))
            let updates = compensation.updates.map { update in
                WireJSON.object([
                    .init("reason", .string(update.reason)), .init("table", .string(update.object.table.description)),
                    .init("pk", .string(KeyText.text(of: update.object.key))),
                ])
            }
            members.append(.init("rejectedUpdates", .array(updates)))
        }
        if let previous = error.previousSchemaVersion {
            members.append(.init("previousSchemaVersion", .integer(previous)))
        }
        return .object(members)
    }
}

/// The form of keys in errors: a changeset that contains the key as a string, in base 64.
enum KeyText {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func text(of key: WireKey) -> String {
        var writer = WireWriter()
        switch key {
        case .null: writer.unsigned(0 as UInt8)
        case .int(let value):
            writer.unsigned(1 as UInt8)
            writer.signed(value)
        case .string(let text):
            writer.unsigned(3 as UInt8)
            writer.content(text.bytes)
        case .objectID(let id):
            writer.unsigned(10 as UInt8)
            writer.objectID(id)
        case .uuid(let id):
            writer.unsigned(11 as UInt8)
            writer.uuid(id)
        }
        return base64(writer.bytes)
    }

    static func key(of text: String) throws(WireError) -> WireKey {
        var reader = WireReader(try bytes(text)[...])
        let key: WireKey
        switch try reader.type() {
        case 0: key = .null
        case 1: key = .int(try reader.int64())
        case 3: key = .string(WireText(bytes: Array(try reader.content(atMost: WireLimits.usual.string))))
        case 10: key = .objectID(try reader.objectID())
        case 11: key = .uuid(try reader.uuid())
        default: throw reader.error(.unknownTag, "A key can't have this type")
        }
        guard reader.isAtEnd else { throw reader.error(.leftover, "Bytes follow a key") }
        return key
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let count = min(3, bytes.count - index)
            var group: UInt32 = 0
            for offset in 0..<3 { group = group << 8 | (offset < count ? UInt32(bytes[index + offset]) : 0) }
            for digit in 0..<4 {
                text.append(digit <= count ? digits[Int(group >> UInt32(18 - 6 * digit) & 63)] : UInt8(ascii: "="))
            }
            index += 3
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func bytes(_ text: String) throws(WireError) -> [UInt8] {
        let characters = Array(text.utf8)
        guard characters.count % 4 == 0 else { throw WireError(.invalidJSON, "A key isn't in base 64") }
        var bytes: [UInt8] = []
        var index = 0
        while index < characters.count {
            let isLast = index + 4 == characters.count
            var (group, padding): (UInt32, Int) = (0, 0)
            for offset in 0..<4 {
                let character = characters[index + offset]
                if character == UInt8(ascii: "="), isLast, offset >= 2 {
                    padding += 1
                    group <<= 6
                } else if padding == 0, let digit = digits.firstIndex(of: character) {
                    group = group << 6 | UInt32(digit)
                } else {
                    throw WireError(.invalidJSON, "A key isn't in base 64")
                }
            }
            for offset in 0..<3 - padding { bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * offset))) }
            index += 4
        }
        return bytes
    }
}
