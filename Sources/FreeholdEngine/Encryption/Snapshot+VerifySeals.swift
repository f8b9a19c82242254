extension SnapshotCheck {
    /// Of an encrypted file: that each block is sealed with its key and for its address, and that together they are those
    /// which the newest commit left.
    func checkSeals() {
        guard let cipher = snapshot.core.cipher else { return }
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
                    guard let bytes = cipher.bytes(stored, at: address), let identity = BlockIdentity(stored) else {
                        report(FileCipher.damage(address, path: snapshot.core.path).message)
                        continue
                    }
                    if address == FileDigest.address { expected = FileDigest(bytes) }
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
        if problems.isEmpty, found != expected {
            report(FileDigest.mismatch)
        }
    }
}
