/// A coder that assigns codes to objects by their values at several paths. Objects with equal values at all paths have the same code.
final class RowCoder {
    private let columns: [ValueCoder]
    /// The tables that combine the codes of the columns, in pairs from the left.
    private var pairs: [NumberTable]
    /// The two codes that each code was combined from, for each pair table.
    private var parts: [[(left: Int32, right: Int32)]]
    private var scratch: [Int32] = []

    /// - Parameter countsNoLink: whether values behind a null link count as null. Otherwise such objects have the code `ValueCoder.noLink`.
    init(_ paths: [PropertyPath], in view: DataView, countsNoLink: Bool) {
        columns = paths.map { ValueCoder($0, in: view, countsNoLink: countsNoLink) }
        pairs = Array(repeating: NumberTable(), count: max(0, paths.count - 1))
        parts = Array(repeating: [], count: max(0, paths.count - 1))
    }

    /// The number of codes.
    var count: Int { parts.last?.count ?? columns[0].values.count }

    func code(_ key: ObjectKey) -> Int32 {
        var code = columns[0].code(key)
        if code == ValueCoder.noLink { return code }
        for i in pairs.indices {
            let right = columns[i + 1].code(key)
            if right == ValueCoder.noLink { return right }
            code = join(code, with: right, at: i)
        }
        return code
    }

    func fill(_ cluster: Int, _ mask: Mask, count n: Int, into codes: UnsafeMutablePointer<Int32>) {
        columns[0].fill(cluster, mask, count: n, into: codes)
        if pairs.isEmpty { return }
        if scratch.count < n { scratch = Array(repeating: 0, count: n) }
        for i in pairs.indices {
            scratch.withUnsafeMutableBufferPointer { right in
                let right = right.baseAddress!
                columns[i + 1].fill(cluster, mask, count: n, into: right)
                MaskKernels.forEach(mask, count: n) { slot in
                    let isDropped = codes[slot] == ValueCoder.noLink || right[slot] == ValueCoder.noLink
                    codes[slot] = isDropped ? ValueCoder.noLink : join(codes[slot], with: right[slot], at: i)
                }
            }
        }
    }

    private func join(_ left: Int32, with right: Int32, at i: Int) -> Int32 {
        let word = UInt64(UInt32(bitPattern: left)) << 32 | UInt64(UInt32(bitPattern: right))
        let found = pairs[i].code(word)
        if found.isNew { parts[i].append((left, right)) }
        return found.code
    }

    /// Returns the values that a code stands for.
    func values(_ code: Int32) -> [Value] {
        var code = code
        var out: [Value] = []
        for i in pairs.indices.reversed() {
            let part = parts[i][Int(code)]
            out.append(value(part.right, i + 1))
            code = part.left
        }
        out.append(value(code, 0))
        return out.reversed()
    }

    private func value(_ code: Int32, _ i: Int) -> Value { columns[i].values[Int(code)] }
}
