/// Integers of one kind that follow each other. Of several ways to write them the shortest is taken (`docs/sync-protocol.md`).
enum IntColumn {
    /// How a column is written. The raw values are part of the protocol.
    enum Form: UInt8 {
        /// Each by itself.
        case plain = 0
        /// Each as its distance from the one before; the first from 0.
        case steps = 1
        /// One number, and how often.
        case constant = 2
        /// The least number, and each as its distance from that, in one to eight bytes.
        case offsets = 3
    }

    /// Appends a length and the column.
    ///
    /// - Parameter mayRepeat: allows `constant`. It takes next to no bytes for any count, so only columns have it whose values are paid for
    ///   by others: then a reader's memory is bounded by what it reads.
    static func append(_ values: [Int64], mayRepeat: Bool, to out: inout [UInt8]) {
        var (least, greatest, last) = (Int64.max, Int64.min, Int64(0))
        var (plain, steps) = (0, 0)
        for value in values {
            least = min(least, value)
            greatest = max(greatest, value)
            plain += value.zigzag.varintWidth
            steps += (value &- last).zigzag.varintWidth
            last = value
        }
        let spread = UInt64(bitPattern: greatest &- least)
        let width = max((64 - spread.leadingZeroBitCount + 7) / 8, 1)
        let offsets = 1 + least.zigzag.varintWidth + values.count * width
        let constant = least.zigzag.varintWidth + UInt64(values.count).varintWidth
        var (form, size) = (Form.plain, plain)
        if steps < size { (form, size) = (.steps, steps) }
        if offsets < size { (form, size) = (.offsets, offsets) }
        if mayRepeat, spread == 0, constant < size { (form, size) = (.constant, constant) }
        out.appendVarint(size + 1)
        out.append(form.rawValue)
        switch form {
        case .plain: for value in values { out.appendVarint(value.zigzag) }
        case .steps:
            last = 0
            for value in values {
                out.appendVarint((value &- last).zigzag)
                last = value
            }
        case .constant:
            out.appendVarint(least.zigzag)
            out.appendVarint(values.count)
        case .offsets:
            out.append(UInt8(width))
            out.appendVarint(least.zigzag)
            if width == 1 {
                for value in values { out.append(UInt8(truncatingIfNeeded: value &- least)) }
            } else {
                for value in values { out.appendFixed(UInt64(bitPattern: value &- least), width: width) }
            }
        }
    }
}

/// Reads a column of integers, one after the other.
final class IntReader {
    private var cursor: ByteCursor
    private let form: IntColumn.Form
    private var last: Int64 = 0
    /// Of `constant`.
    private var left: UInt64 = 0
    private let width: Int

    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, mayRepeat: Bool) throws(CodecError) {
        var cursor = ByteCursor(bytes, range)
        guard let form = IntColumn.Form(rawValue: try cursor.byte()), form != .constant || mayRepeat else {
            throw cursor.error(.unknownKind, "The column can't be written so")
        }
        self.form = form
        switch form {
        case .plain, .steps: width = 0
        case .constant:
            width = 0
            last = Int64(zigzag: try cursor.varint())
            left = try cursor.varint()
        case .offsets:
            width = Int(try cursor.byte())
            last = Int64(zigzag: try cursor.varint())
            guard 1...8 ~= width, cursor.remaining % width == 0 else {
                throw cursor.error(.invalidNumber, "The column isn't made of numbers of \(width) bytes")
            }
        }
        self.cursor = cursor
    }

    var position: Int { cursor.position }

    var isAtEnd: Bool { form == .constant ? left == 0 : cursor.remaining == 0 }

    func next() throws(CodecError) -> Int64 {
        switch form {
        case .plain: return Int64(zigzag: try cursor.varint())
        case .steps:
            last &+= Int64(zigzag: try cursor.varint())
            return last
        case .constant:
            guard left > 0 else { throw cursor.error(.truncated, "The column has too few numbers") }
            left -= 1
            return last
        case .offsets: return last &+ Int64(bitPattern: try cursor.fixed(width: width))
        }
    }
}
