/// Edits of a small list in its encoded form, without decoding its elements.
extension InlineList {
    /// Writes the list with a replaced range, in the same form as `encode`.
    ///
    /// - Parameter out: memory for `limit` bytes that doesn't overlap the list.
    /// - Returns: the number of bytes, or `nil` if the list contains nulls or mixed values, or wouldn't fit inline. In these cases, use `encode`.
    /// - Complexity: O(bytes).
    func splice(_ range: Range<Int>, with values: some Collection<Value>, to out: UnsafeMutableRawPointer) -> Int? {
        let old = count
        let new = old - range.count + values.count
        if new == 0 { return 0 }
        guard new <= Self.maximumCount, old == 0 || !hasNulls else { return nil }
        switch type {
        case .int, .link: return spliceInts(range, with: values, new, to: out)
        case .string, .data: return spliceBytes(range, with: values, new, to: out)
        case .mixed: return nil
        default: return spliceFixed(range, with: values, new, to: out)
        }
    }

    private func head(_ width: Int, count: Int, to out: UnsafeMutableRawPointer) {
        out.storeBytes(of: UInt8(width), as: UInt8.self)
        out.storeBytes(of: 0, toByteOffset: 1, as: UInt8.self)
        out.storeBytes(of: UInt16(count).littleEndian, toByteOffset: 2, as: UInt16.self)
    }

    /// Splices a list of integers. The width of its elements may change.
    private func spliceInts(
        _ range: Range<Int>,
        with values: some Collection<Value>,
        _ count: Int,
        to out: UnsafeMutableRawPointer
    ) -> Int? {
        withUnsafeTemporaryAllocation(of: Int64.self, capacity: count) { ints in
            let p = ints.baseAddress!
            for i in 0..<range.lowerBound { p[i] = int(i) }
            var at = range.lowerBound
            for value in values {
                switch value {
                case .int(let number): p[at] = number
                case .link(let key): p[at] = key.raw
                default: return nil
                }
                at += 1
            }
            for i in range.upperBound..<self.count {
                p[at] = int(i)
                at += 1
            }
            return Self.encodeInts(p, count, to: out)
        }
    }

    private func spliceBytes(
        _ range: Range<Int>,
        with values: some Collection<Value>,
        _ count: Int,
        to out: UnsafeMutableRawPointer
    ) -> Int? {
        var added = 0
        for value in values {
            guard value.type == type else { return nil }
            added += FieldCoding.byteCount(value, type)
        }
        let old = self.count
        var (before, gone, behind) = (0, 0, 0)
        for i in 0..<range.lowerBound { before += length(i) }
        for i in range { gone += length(i) }
        for i in range.upperBound..<old { behind += length(i) }
        let size = 4 + 2 * count + before + added + behind
        guard size <= Self.limit else { return nil }
        head(0, count: count, to: out)
        var lengths = out + 4
        var to = lengths + 2 * count
        func copy(_ elements: Range<Int>, from start: Int, _ bytes: Int) {
            guard !elements.isEmpty else { return }
            let p = self.bytes.baseAddress! + 4
            lengths.copyMemory(from: p + 2 * elements.lowerBound, byteCount: 2 * elements.count)
            lengths += 2 * elements.count
            to.copyMemory(from: p + 2 * old + start, byteCount: bytes)
            to += bytes
        }
        copy(0..<range.lowerBound, from: 0, before)
        for value in values {
            FieldCoding.withBytes(value, type) { bytes in
                lengths.storeBytes(of: UInt16(bytes.count).littleEndian, as: UInt16.self)
                lengths += 2
                if let start = bytes.baseAddress { to.copyMemory(from: start, byteCount: bytes.count) }
                to += bytes.count
            }
        }
        copy(range.upperBound..<old, from: before + gone, behind)
        return size
    }

    /// Returns the length of an element of a list of strings or data without nulls.
    private func length(_ i: Int) -> Int {
        Int(bytes.loadUnaligned(fromByteOffset: 4 + 2 * i, as: UInt16.self))
    }

    private func spliceFixed(
        _ range: Range<Int>,
        with values: some Collection<Value>,
        _ count: Int,
        to out: UnsafeMutableRawPointer
    ) -> Int? {
        let width = Self.width(of: type)
        let size = 4 + count * width
        guard size <= Self.limit, values.allSatisfy({ $0.type == type }) else { return nil }
        head(width, count: count, to: out)
        var to = out + 4
        func copy(_ elements: Range<Int>) {
            guard !elements.isEmpty else { return }
            let bytes = elements.count * width
            to.copyMemory(from: self.bytes.baseAddress! + 4 + elements.lowerBound * width, byteCount: bytes)
            to += bytes
        }
        copy(0..<range.lowerBound)
        for value in values {
            Self.put(value, to: to)
            to += width
        }
        copy(range.upperBound..<self.count)
        return size
    }

    /// Returns the size in bytes of an element, for types of fixed size other than integers and links.
    private static func width(of type: ColumnType) -> Int {
        switch type {
        case .bool: 1
        case .float: 4
        case .timestamp, .objectId: 12
        case .decimal128, .uuid: 16
        default: 8
        }
    }

    private static func put(_ value: Value, to out: UnsafeMutableRawPointer) {
        switch value {
        case .bool(let flag): out.storeBytes(of: flag ? 1 : 0, as: UInt8.self)
        case .float(let number): out.storeBytes(of: number, as: Float.self)
        case .double(let number): out.storeBytes(of: number, as: Double.self)
        case .timestamp(let time):
            out.storeBytes(of: time.seconds, as: Int64.self)
            out.storeBytes(of: time.nanoseconds, toByteOffset: 8, as: Int32.self)
        default: FieldCoding.copyFixed(value, to: out)
        }
    }
}
