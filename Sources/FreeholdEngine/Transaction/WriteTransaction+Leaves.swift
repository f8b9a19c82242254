/// The update of the blocks of decoded leaves.
extension WriteTransaction {
    func storedParts(of columns: ColumnOverlay, cluster: Int) -> LeafParts.Source {
        LeafParts.Source(store: self, segment: columns.partsSegment, cluster: cluster)
    }

    /// Updates the blocks of a buffer. If the division of the leaf remains the same, only the changed parts are written.
    func encode(_ buffer: LeafBuffer, _ columns: ColumnOverlay, cluster: Int) {
        guard buffer.isDirty else { return }
        buffer.isDirty = false
        if encodesChanges, let changes = buffer.encodedChanges() {
            put(changes, of: columns, cluster: cluster)
            if buffer.count != buffer.parts.count {
                putHead(of: buffer, columns, cluster: cluster, partsLog2: buffer.parts.log2)
            }
            buffer.noteStoredChanges()
        } else {
            encodeAnew(buffer, columns, cluster: cluster)
        }
    }

    /// Encodes a buffer's complete leaf, in one block or in parts.
    private func encodeAnew(_ buffer: LeafBuffer, _ columns: ColumnOverlay, cluster: Int) {
        let encoded = buffer.encodedParts()
        if let head = block(columns.leafSegment, UInt64(cluster)).map({ Leaf($0.baseAddress!) }), head.isSplit {
            let kept = encoded?.parts.count ?? 0
            for part in 0..<1 << head.partsLog2 where part >= kept {
                removeBlock(columns.partsSegment, UInt64(cluster) << 6 | UInt64(part))
            }
        }
        guard let encoded else {
            buffer.noteStored(in: LeafParts())
            return putBlock(columns.leafSegment, UInt64(cluster), owned: buffer.encodedWhole()!)
        }
        put(encoded.parts, of: columns, cluster: cluster)
        putHead(of: buffer, columns, cluster: cluster, partsLog2: encoded.log2)
        buffer.noteStored(
            in: LeafParts(
                log2: encoded.log2,
                count: buffer.count,
                clusterSpan: clusterSpan,
                storedParts(of: columns, cluster: cluster)
            )
        )
    }

    private func put(_ parts: [EncodedPart], of columns: ColumnOverlay, cluster: Int) {
        for part in parts {
            putBlock(columns.partsSegment, UInt64(cluster) << 6 | UInt64(part.number), owned: part.bytes)
        }
    }

    private func putHead(of buffer: LeafBuffer, _ columns: ColumnOverlay, cluster: Int, partsLog2: Int) {
        let head = LeafEncoder.encodeSplitHead(codec: buffer.codec, count: buffer.count, partsLog2: partsLog2)
        putBlock(columns.leafSegment, UInt64(cluster), owned: head)
    }
}
