/// A column of integers of one kind. The shortest of several forms is written (`docs/sync-protocol.md`).
enum IntColumn {
    /// The form of a column. The raw values are part of the protocol.
    enum Form: UInt8 {
        /// Each number is written by itself.
        case plain = 0
        /// Each number is written as its difference from the one before it, the first one as its difference from 0.
        case steps = 1
        /// All numbers are equal: one number, and the count.
        case constant = 2
        /// The least number, and the difference of each number from it in one to eight bytes.
        case offsets = 3
    }

    /// Appends the length of the column, and the column.
    ///
    /// - Parameter mayRepeat: A Boolean value that indicates whether `constant` is allowed. This form takes almost no
    ///   bytes for any count. It is therefore only allowed if another column bounds the number of values, so that the
    ///   memory of a reader is bounded by the size of its input.
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
    /// The number of values that are left, for `constant`.
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
