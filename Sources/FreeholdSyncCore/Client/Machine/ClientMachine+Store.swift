extension ClientMachine {
    /// Handles the file's answer to the oldest request.
    mutating func take(_ outcome: StoreOutcome, _ now: Int64, _ random: inout some RandomNumberGenerator) {
        guard !requests.isEmpty else { return }
        let request = requests.removeFirst()
        let isCurrent = request.generation == generation
        switch outcome {
        case .done: break
        case .described(let file): take(file, request.purpose, isCurrent: isCurrent)
        case .collected(let commits, let oldLists, let hasMore):
            if isCurrent { send(commits, oldLists, hasMore: hasMore) } else { hasWork = true }
        case .acknowledged(let number, let refusals, let wanted):
            let isNews = number > state.acknowledged
            state.acknowledged = number
            if !refusals.isEmpty { report(.refused(refusals)) }
            if isNews { report(.uploaded(upTo: number)) }
            reachUploads()
            // The download may have come first, if another copy of the file sent the commit.
            if isCurrent { fetch(wanted) }
        case .tookIn(let download): take(download, isCurrent: isCurrent)
        case .bootstrapped(let set, let download, let lost):
            state.bootstrap = nil
            if let lost {
                state.isReset = false
                report(.wasReset(lost: resetLost + lost))
                resetLost = 0
                if !uploadMarks.isEmpty { self.request(.describe, .uploadMarks) }
            }
            if let set {
                note(set)
                report(.querySet(set))
            }
            take(download, isCurrent: isCurrent)
            // A reset may have created work.
            hasWork = true
            if isCurrent { upload() }
        case .subscribed(let set):
            for index in state.querySets.indices { state.querySets[index].state = .superseded }
            note(set)
            report(.querySet(set))
            if isCurrent { send(set) }
        case .compared(let classes): if isCurrent { heal(classes) }
        case .misfit:
            misfits += 1
            fetching = []
            if isCurrent, misfits > 3 {
                output.append(.close)
                lose(now, &random)
            } else if isCurrent {
                self.request(.describe, .resume(compare: []))
            }
        }
        if isCurrent, request.bytes > 0 { grant(request.bytes) }
        for index in marks.indices { marks[index].after -= 1 }
        reachMarks()
    }

    private mutating func take(_ file: FileDescription, _ purpose: Request.Purpose, isCurrent: Bool) {
        state = file.state
        hasWork = file.hasLocalWork
        resetLost += file.lost
        switch purpose {
        case .start:
            isDescribed = true
            if link == .stopped, !isSuspended, !isBlocked { connect() }
        case .bind: if isCurrent { bind(file) }
        case .bound(let bound):
            if bound.fork != nil || file.state.isReset { renewUploadMarks() }
            if isCurrent { begin(bound) }
        case .resume(let classes): if isCurrent { resume(file, compare: classes) }
        case .uploadMark(let id):
            uploadMarks.append((id, file.state.isReset ? nil : file.state.lastCommit))
            reachUploads()
            upload()
        case .uploadMarks:
            renewUploadMarks()
            upload()
        case .leastBase:
            // The server keeps the history that unsent work can name. A higher least base lets it remove a part of it.
            if isCurrent, file.leastBase != reportedBase { resume(file, compare: []) }
            upload()
        case .work, .other: break
        }
    }

    private mutating func take(_ download: DownloadOutcome, isCurrent: Bool) {
        if let cursor = download.cursor, cursor != state.cursor { report(.downloaded(cursor.version)) }
        state.cursor = download.cursor
        if !download.replaced.isEmpty { report(.refused(download.replaced)) }
        if let begin = state.bootstrap?.begin, download.objects > 0 {
            state.bootstrap?.objects += download.objects
            report(.progress(objects: state.bootstrap?.objects ?? 0, of: begin.objects))
        }
        guard isCurrent else { return }
        fetching.formIntersection(download.wanted)
        fetch(download.wanted)
        heal(download.mismatches)
    }

    /// Requests a comparison of classes, for each class at most three times per connection.
    private mutating func heal(_ classes: [SyncString]) {
        guard link == .ready, !classes.isEmpty else { return }
        let new = classes.filter { healing[$0, default: 0] < 3 }
        guard !new.isEmpty else { return }
        for name in new { healing[name, default: 0] += 1 }
        report(.mismatch(new))
        request(.describe, .resume(compare: new))
    }

    private mutating func note(_ set: QuerySet) {
        if let index = state.querySets.firstIndex(where: { $0.version == set.version }) {
            state.querySets[index] = set
        } else {
            state.querySets.append(set)
        }
    }

    // MARK: Marks

    mutating func reachMarks() {
        for mark in marks where mark.after <= 0 { report(.reached(mark.id)) }
        marks.removeAll { $0.after <= 0 }
    }

    private mutating func reachUploads() {
        let acknowledged = state.acknowledged
        func isReached(_ mark: (id: UInt64, upTo: UInt64?)) -> Bool { mark.upTo.map { $0 <= acknowledged } ?? false }
        for mark in uploadMarks where isReached(mark) { report(.reached(mark.id)) }
        uploadMarks.removeAll(where: isReached)
    }

    /// Adapts the waits for uploads after the commits of the file got new numbers. They wait for the commit that is the
    /// last one now.
    private mutating func renewUploadMarks() {
        for index in uploadMarks.indices { uploadMarks[index].upTo = state.isReset ? nil : state.lastCommit }
        reachUploads()
    }
}
