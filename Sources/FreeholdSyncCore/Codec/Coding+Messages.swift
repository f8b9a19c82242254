extension ColumnWriter {
    func message(_ message: ClientMessage) throws(CodecError) -> MessageKind {
        switch message {
        case .hello(let hello):
            number(hello.versions.count)
            for version in hello.versions { number(UInt64(version)) }
            for compression in hello.compressions { kinds.append(compression.rawValue) }
            int(hello.deviceTime)
            text(hello.token.text)
            if let agent = hello.agent { self[.part(1)].text(agent) }
            if hello.takesParts { self[.part(2)].kinds.append(0) }
            return .hello
        case .bind(_, let bind):
            try self.bind(bind)
            return .bind
        case .queries(_, let queries):
            int(queries.version)
            number(queries.queries.count)
            for query in queries.queries {
                text(query.className)
                self[.part(1)].text(query.condition)
            }
            return .queries
        case .upload(_, let upload):
            try self.upload(upload)
            return .upload
        case .part(_, let part):
            self.part(part)
            return .clientPart
        case .credit(_, let bytes):
            int(bytes)
            return .clientCredit
        case .mark(_, let number):
            int(number)
            return .mark
        case .resume(_, let resume):
            if let cursor = resume.cursor { self[.part(1)].cursor(cursor) }
            if let position = resume.bootstrap { try self[.part(2)].position(position) }
            number(resume.compare.count)
            for className in resume.compare { text(className) }
            if let base = resume.leastBase { self[.part(3)].int(base) }
            try self[.part(4)].held(resume.held)
            return .resume
        case .fetch(_, let names):
            number(names.count)
            for name in names { try reference(name) }
            return .fetch
        case .unbind: return .unbind
        case .note, .claim: throw CodecError(.invalidValue, "Only front ends of the server have this message")
        case .ping(let ping):
            int(ping.deviceTime)
            return .ping
        }
    }

    private func bind(_ bind: Bind) throws(CodecError) {
        text(bind.app)
        int(bind.schema.version)
        int(bind.queryVersion)
        int(bind.journal.acknowledged)
        hash(bind.schema.hash)
        hash(bind.journal.hash)
        number(bind.journal.pending.count)
        for hash in bind.journal.pending { self.hash(hash) }
        number(bind.schema.documents.count)
        if let stream = bind.stream { try self[.part(1)].value(stream, depth: 0) }
        if let file = bind.file { self[.part(2)].identity(file) }
        if let cursor = bind.cursor { self[.part(3)].cursor(cursor) }
        if let view = bind.view { self[.part(4)].int(view) }
        if let base = bind.leastBase { self[.part(5)].int(base) }
        try self[.part(6)].held(bind.held)
        if let position = bind.bootstrap { try self[.part(7)].position(position) }
        if bind.isReset { self[.part(9)].kinds.append(0) }
        if let view = bind.bootstrapView { self[.part(10)].int(view) }
        if let partial = bind.partial { self[.part(11)].partial(partial) }
        let documents = self[.part(8)]
        for document in bind.schema.documents {
            documents.text(document.className)
            documents[.second].text(document.json)
        }
    }

    private func upload(_ upload: Upload) throws(CodecError) {
        number(upload.commits.count)
        let (objects, changes) = (self[.objects], self[.changes])
        for uploaded in upload.commits {
            let commit = uploaded.commit
            if let part = uploaded.part {
                kinds.append(part.isLast ? 2 : 1)
                self[.part].int(UInt64(part.index))
            } else {
                kinds.append(0)
            }
            hash(uploaded.hash)
            self[.commitNumber].int(commit.number)
            self[.clock].int(commit.clock.rawValue)
            self[.commitBase].int(commit.base)
            self[.schemaVersion].int(commit.schemaVersion)
            number(commit.seen.count)
            for (name, version) in commit.seen.sorted(by: { $0.key < $1.key }) {
                try objects.reference(name)
                self[.seen].int(version)
            }
            number(commit.changes.count)
            for change in commit.changes { try changes.change(change, objects) }
        }
        number(upload.oldLists.count)
        let lists = self[.oldLists]
        for list in upload.oldLists {
            try objects.reference(list.place.object)
            let group = lists.place(list.place)
            group.number(list.elements.count)
            let values = group[.values]
            for element in list.elements {
                if let element {
                    try values.value(element, hasEmbedded: true, depth: 0)
                } else {
                    values.kind(.gone)
                }
            }
        }
    }

    // MARK: Parts

    func hash(_ hash: RunningHash) { fixed(hash.low, hash.high) }

    func part(_ part: MessagePart) {
        parted(part.message)
        int(part.offset)
        data(part.bytes)
    }

    func partial(_ partial: PartialMessage) {
        parted(partial.message)
        int(partial.received)
    }

    private func parted(_ message: PartedMessage) {
        int(message.number)
        int(message.count)
        hash(message.hash)
    }

    func identity(_ file: FileIdentity) {
        int(UInt64(file.ident.rawValue))
        fixed(file.secret.low, file.secret.high)
    }

    func cursor(_ cursor: Cursor) {
        int(cursor.epoch)
        int(cursor.version)
        hash(cursor.hash)
    }

    func position(_ position: BootstrapPosition) throws(CodecError) {
        self[.part(1)].cursor(position.cursor)
        int(position.queryVersion)
        try self[.part(2)].reference(position.last)
    }

    private func held(_ held: [HeldObject]) throws(CodecError) {
        for object in held {
            kinds.append(0)
            try self[.part(1)].reference(object.name)
            int(object.version)
        }
    }
}
