extension SnapshotCheck {
    /// That each block is what was stored at its address; and of an encrypted file that together they are those which the
    /// newest commit left.
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
                        report("Block \(address.number) of segment \(address.segment) is there twice.")
                    }
                    last = address
                    if address == DatabaseHeader.address { continue }
                    let isSound =
                        envelope.opensInPlace
                        ? envelope.opened(stored, at: address) != nil : envelope.bytes(stored, at: address) != nil
                    guard isSound else {
                        let owner = schema.name(of: address.segment)
                        report(envelope.damage(address, of: owner, path: snapshot.core.path).message)
                        continue
                    }
                    guard let cipher = envelope.cipher, let identity = BlockIdentity(stored) else { continue }
                    if address == FileDigest.address { expected = FileDigest(stored, cipher) }
                    if FileDigest.covers(address) {
                        found.add(cipher.stamp(identity, at: address))
                    }
                }
                guard end.address.raw < .max else { break }
                from = BlockAddress(raw: end.address.raw + 1)
            }
        } catch {
            report(error.message)
        }
        found.version = snapshot.version
        if envelope.cipher != nil, problems.isEmpty, found != expected {
            report(FileDigest.mismatch)
        }
    }
}
