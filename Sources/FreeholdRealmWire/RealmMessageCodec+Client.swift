// The messages of clients.

extension RealmMessageCodec {
    /// Reads a message of a client from one WebSocket frame.
    ///
    /// - Throws: `WireError` if the bytes aren't one whole message of a known kind.
    /// - Complexity: O(*n*). The changesets of an upload aren't decoded.
    public func clientMessage(_ frame: [UInt8]) throws(WireError) -> RealmClientMessage {
        guard frame.count <= limits.message else { throw WireError(.tooLarge, "A message is too large") }
        var reader = HeaderReader(frame[...])
        let message: RealmClientMessage
        switch try reader.name() {
        case "bind": message = .bind(try bind(&reader))
        case "ident": message = .ident(try ident(&reader))
        case "query":
            let session = try reader.unsigned()
            let version = try reader.signed()
            let size = try reader.size()
            message = .query(session: session, version: version, queries: try queries(reader.body(size)))
        case "upload": message = .upload(try upload(&reader))
        case "mark": message = .mark(session: try reader.unsigned(), number: try reader.unsigned())
        case "unbind": message = .unbind(session: try reader.unsigned())
        case "ping": message = .ping(timestamp: try reader.unsigned(), roundTrip: try reader.unsigned())
        case "json_error":
            let code = try reader.signed()
            let size = try reader.size()
            let session = try reader.unsigned()
            let body = try WireJSON(bytes: reader.body(size), depth: limits.json)
            message = .error(session: session, code: Int(code), message: body["message"]?.string ?? "")
        default: throw reader.error(.invalidHeader, "There is no message of this name")
        }
        try reader.end()
        return message
    }

    private func bind(_ reader: inout HeaderReader) throws(WireError) -> RealmClientMessage.Bind {
        let session = try reader.unsigned()
        let size = try reader.size()
        let tokenSize = try reader.size()
        var bind = RealmClientMessage.Bind(session: session, needsIdent: try reader.bool())
        guard try !reader.bool() else { throw reader.error(.unsupported, "Sessions between servers aren't supported") }
        let body = try reader.body(size)
        if !body.isEmpty {
            let json = try WireJSON(bytes: body, depth: limits.json)
            bind.schemaVersion = json["schemaVersion"]?.integer
            bind.reason = json["sessionReason"]?.integer
        }
        bind.token = Array(try reader.body(tokenSize))
        return bind
    }

    private func ident(_ reader: inout HeaderReader) throws(WireError) -> RealmClientMessage.Ident {
        let session = try reader.unsigned()
        let file = RealmFileIdent(ident: try reader.unsigned(), salt: try reader.signed())
        let download = DownloadCursor(server: try reader.unsigned(), client: try reader.unsigned())
        let latest = LatestVersion(version: try reader.unsigned(), salt: try reader.signed())
        let queryVersion = try reader.signed()
        let size = try reader.size()
        return RealmClientMessage.Ident(
            session: session,
            file: file,
            download: download,
            latest: latest,
            queryVersion: queryVersion,
            queries: try queries(reader.body(size))
        )
    }

    private func queries(_ body: ArraySlice<UInt8>) throws(WireError) -> [ClassQuery] {
        guard case .object(let members) = try WireJSON(bytes: body, depth: limits.json) else {
            throw WireError(.invalidJSON, "The queries aren't a JSON object")
        }
        var queries: [ClassQuery] = []
        for member in members {
            guard let text = member.value.string else { throw WireError(.invalidJSON, "A query isn't a string") }
            queries.append(ClassQuery(table: member.name, text: text))
        }
        return queries
    }

    private func upload(_ reader: inout HeaderReader) throws(WireError) -> RealmClientMessage.Upload {
        let session = try reader.unsigned()
        let words = (isPacked: try reader.bool(), size: try reader.size(), packedSize: try reader.size())
        let progress = UploadCursor(client: try reader.unsigned(), server: try reader.unsigned())
        let locked = try reader.unsigned()
        var entries: [UploadEntry] = []
        var body = HeaderReader(try expanded(&reader, words))
        while !body.isAtEnd {
            guard entries.count < limits.entries else { throw body.error(.tooLarge, "An upload has too many entries") }
            let versions = (client: try body.unsigned(), server: try body.unsigned())
            let origin = (timestamp: try body.unsigned(), ident: try body.unsigned())
            let size = try body.size()
            entries.append(
                UploadEntry(
                    clientVersion: versions.client,
                    serverVersion: versions.server,
                    timestamp: origin.timestamp,
                    origin: origin.ident,
                    changeset: try body.entry(size)
                )
            )
        }
        return RealmClientMessage.Upload(session: session, progress: progress, lockedServer: locked, entries: entries)
    }

    /// Returns the frame of a client's message, as the official client sends it.
    public func encoded(_ message: RealmClientMessage) throws(WireError) -> [UInt8] {
        switch message {
        case .bind(let bind):
            var members: [WireJSON.Member] = []
            if version >= 11, let schema = bind.schemaVersion {
                members.append(.init("schemaVersion", .integer(schema)))
            }
            if version >= 10, let reason = bind.reason { members.append(.init("sessionReason", .integer(reason))) }
            let body = members.isEmpty ? [] : WireJSON.object(members).bytes
            let words = "bind \(bind.session) \(body.count) \(bind.token.count) \(bind.needsIdent ? 1 : 0) 0\n"
            return Array(words.utf8) + body + bind.token
        case .ident(let ident):
            let body = Self.bytes(of: ident.queries)
            let words =
                "ident \(ident.session) \(ident.file.ident) \(ident.file.salt) \(ident.download.server) "
                + "\(ident.download.client) \(ident.latest.version) \(ident.latest.salt) \(ident.queryVersion) \(body.count)\n"
            return Array(words.utf8) + body
        case .query(let session, let version, let queries):
            let body = Self.bytes(of: queries)
            return Array("query \(session) \(version) \(body.count)\n".utf8) + body
        case .upload(let upload):
            var body: [UInt8] = []
            for entry in upload.entries {
                let words =
                    "\(entry.clientVersion) \(entry.serverVersion) \(entry.timestamp) \(entry.origin) \(entry.changeset.count) "
                body += words.utf8
                body += entry.changeset
            }
            let packed = packed(body)
            let words =
                "upload \(upload.session) \(packed.isPacked ? 1 : 0) \(packed.size) \(packed.packedSize) "
                + "\(upload.progress.client) \(upload.progress.server) \(upload.lockedServer)\n"
            return Array(words.utf8) + packed.bytes
        case .mark(let session, let number): return Array("mark \(session) \(number)\n".utf8)
        case .unbind(let session): return Array("unbind \(session)\n".utf8)
        case .ping(let timestamp, let roundTrip): return Array("ping \(timestamp) \(roundTrip)\n".utf8)
        case .error(let session, let code, let message):
            let body = WireJSON.object([.init("message", .string(message))]).bytes
            return Array("json_error \(code) \(body.count) \(session)\n".utf8) + body
        }
    }

    private static func bytes(of queries: [ClassQuery]) -> [UInt8] {
        WireJSON.object(queries.map { WireJSON.Member($0.table, .string($0.text)) }).bytes
    }
}
