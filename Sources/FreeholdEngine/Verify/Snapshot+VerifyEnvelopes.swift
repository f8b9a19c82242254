extension SnapshotCheck {
    /// Checks that each block is unchanged since it was stored at its address, and that all blocks together are those of the newest commit.
    func checkEnvelopes() {
        let envelope = snapshot.core.envelope
        if case .bare = envelope { return }
        var found = FileDigest()
        var expected: FileDigest?
        var last: BlockAddress?
        var from = BlockAddress(raw: 0)
        do throws(EngineError) {
            while true {
                let run = try snapshot.run(from: from)
                guard let end = run.last else { break }
                for (address, stored) in run {
                    if let last, address <= last {
                        report("Block \(address.number) of segment \(address.segment) exists twice.")
                    }
                    last = address
                    if address == DatabaseHeader.address { continue }
                    let isSound =
                        envelope.opensInPlace
                        ? envelope.opened(stored, at: address) != nil : envelope.bytes(stored, at: address) != nil
                    guard isSound else {
                        let owner = schema.name(of: address, clusterSpan: snapshot.clusterSpan)
                        report(envelope.damage(address, of: owner, path: snapshot.core.path).message)
                        continue
                    }
                    if address == FileDigest.address { expected = FileDigest(stored, envelope) }
                    if FileDigest.covers(address) { found.add(envelope.stamp(stored, at: address)) }
                }
                guard end.address.raw < .max else { break }
                from = BlockAddress(raw: end.address.raw + 1)
            }
        } catch {
            report(error.message)
        }
        found.version = snapshot.version
        guard problems.isEmpty, found != expected else { return }
        guard envelope.opensInPlace, let expected, expected.version == snapshot.version,
            let address = outdated(found, expected: expected)
        else { return report(FileDigest.mismatch) }
        let owner = schema.name(of: address, clusterSpan: snapshot.clusterSpan)
        report("\(address.described(owner)) is of another version than the rest: something put it back.")
    }

    /// Returns the block of a plain file that doesn't belong to the newest commit, or `nil` if there isn't exactly one.
    ///
    /// - Parameters:
    ///   - found: the digest of all blocks in the file.
    ///   - expected: the digest after the newest commit.
    private func outdated(_ found: FileDigest, expected: FileDigest) -> BlockAddress? {
        var from = BlockAddress(raw: 0)
        while let run = try? snapshot.run(from: from), let end = run.last {
            for (address, stored) in run where FileDigest.covers(address) {
                guard let stamp = snapshot.core.envelope.stamp(stored, at: address) else { continue }
                if found.differs(from: expected, by: stamp, at: address) { return address }
            }
            guard end.address.raw < .max else { break }
            from = BlockAddress(raw: end.address.raw + 1)
        }
        return nil
    }
}
