import Foundation

/// A reader of CSV according to RFC 4180, record by record. Fields in quotation marks may contain delimiters, line
/// breaks and doubled quotation marks. Lines end with CR LF or LF.
struct CSVReader {
    struct Field {
        let text: String
        /// A Boolean value that indicates whether the field is in quotation marks. Such a field isn't null, even if it
        /// is empty.
        let isQuoted: Bool
    }

    struct Record {
        let fields: [Field]
        /// The line on which the record begins, counted from 1.
        let line: Int

        /// Returns the record with a number of fields, unchanged or with empty fields added at its end.
        ///
        /// - Throws: `Failure` for another number of fields, if fields may not be added.
        func padded(to count: Int, _ layout: CSVLayout) throws -> Record {
            if fields.count == count { return self }
            let isShort = fields.count < count
            guard isShort, layout.pads else {
                throw Failure(
                    .data,
                    "line \(line): there are \(Units.count(fields.count, "field")) and \(Units.count(count, "column"))"
                        + (isShort ? "; --pad takes the missing fields as empty" : "")
                )
            }
            let missing = Field(text: "", isQuoted: false)
            return Record(fields: fields + Array(repeating: missing, count: count - fields.count), line: line)
        }
    }

    private let next: () throws -> Data
    private let delimiter: UInt8
    private var chunk: [UInt8] = []
    private var position = 0
    private var isAtEnd = false
    private var line = 1
    private var hasBegun = false

    init(delimiter: UInt8, _ next: @escaping () throws -> Data) {
        self.next = next
        self.delimiter = delimiter
    }

    private mutating func peek() throws -> UInt8? {
        if position < chunk.count { return chunk[position] }
        if isAtEnd { return nil }
        chunk = [UInt8](try next())
        position = 0
        isAtEnd = chunk.isEmpty
        return chunk.first
    }

    /// Reads the next record, or returns nil at the end. Empty lines are skipped, unless records have a single field.
    mutating func record(isSingle: Bool = false) throws -> Record? {
        if !hasBegun {
            hasBegun = true
            try skipByteOrderMark()
        }
        while true {
            guard try peek() != nil else { return nil }
            let start = line
            var fields: [Field] = []
            while try field(&fields) {}
            if fields.count == 1, fields[0].text.isEmpty, !fields[0].isQuoted, !isSingle { continue }
            return Record(fields: fields, line: start)
        }
    }

    private mutating func skipByteOrderMark() throws {
        // The first byte is also that of other characters, and a chunk may be shorter.
        while chunk.count < 3, !isAtEnd {
            let more = try next()
            chunk += more
            isAtEnd = more.isEmpty
        }
        if chunk.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// - Returns: A Boolean value that indicates whether the record has another field.
    private mutating func field(_ fields: inout [Field]) throws -> Bool {
        var bytes: [UInt8] = []
        let isQuoted = try peek() == UInt8(ascii: "\"")
        if isQuoted { try quoted(&bytes) }
        while let byte = try peek() {
            if byte == delimiter {
                position += 1
                fields.append(try made(bytes, isQuoted))
                return true
            }
            if byte == 0x0A || byte == 0x0D {
                position += 1
                if byte == 0x0D {
                    guard try peek() == 0x0A else { throw failure("a carriage return stands alone") }
                    position += 1
                }
                fields.append(try made(bytes, isQuoted))
                line += 1
                return false
            }
            if isQuoted { throw failure("something follows the closing quotation mark of a field") }
            if byte == UInt8(ascii: "\"") {
                throw failure("a quotation mark stands inside a field that doesn't begin with one")
            }
            bytes.append(byte)
            position += 1
        }
        fields.append(try made(bytes, isQuoted))
        return false
    }

    private mutating func quoted(_ bytes: inout [UInt8]) throws {
        let start = line
        position += 1
        while true {
            guard let byte = try peek() else {
                throw Failure(.data, "line \(start): the text ends inside a field in quotation marks that begins here")
            }
            position += 1
            if byte == UInt8(ascii: "\"") {
                guard try peek() == UInt8(ascii: "\"") else { return }
                position += 1
            } else if byte == 0x0A {
                line += 1
            }
            bytes.append(byte)
        }
    }

    private func made(_ bytes: [UInt8], _ isQuoted: Bool) throws -> Field {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw failure("these bytes aren't UTF-8") }
        return Field(text: text, isQuoted: isQuoted)
    }

    private func failure(_ message: String) -> Failure { Failure(.data, "line \(line): \(message)") }
}
