import Foundation

/// Reads the rows of a CSV file (RFC 4180) one by one. The separator is a comma, a semicolon or a tab, whichever the first line has most of.
final class CSVRows {
    /// A field, and whether it was in quotation marks.
    struct Field: Equatable {
        var text: String
        var isQuoted: Bool
    }

    private let handle: FileHandle
    private var buffer: [UInt8] = []
    private var at = 0
    private var isAtEnd = false
    private var separator = UInt8(ascii: ",")
    /// The number of the line of the next row, from 1.
    private(set) var line = 1

    private static let pieceBytes = 256 << 10
    private static let mostRowBytes = 64 << 20
    private static let mostFields = 10_000

    init(_ path: String) throws(StudioError) {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw StudioError(.io, "The uploaded file can't be read.")
        }
        self.handle = handle
        _ = try fill()
        if buffer.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
        let first = buffer[at...].prefix { $0 != 0x0A && $0 != 0x0D }
        let marks = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]
        separator = marks.max { a, b in first.count { $0 == a } < first.count { $0 == b } } ?? separator
    }

    deinit { try? handle.close() }

    private func fill() throws(StudioError) -> Bool {
        guard !isAtEnd else { return false }
        let piece: Data?
        do { piece = try handle.read(upToCount: Self.pieceBytes) } catch {
            throw StudioError(.io, "The uploaded file can't be read.")
        }
        guard let piece, !piece.isEmpty else {
            isAtEnd = true
            return false
        }
        buffer.removeFirst(at)
        at = 0
        buffer.append(contentsOf: piece)
        return true
    }

    private func peek() throws(StudioError) -> UInt8? {
        if at == buffer.count, try !fill() { return nil }
        return buffer[at]
    }

    /// Returns the next row, or `nil` at the end. Empty lines are left out.
    func next() throws(StudioError) -> [Field]? {
        while let byte = try peek(), byte == 0x0A || byte == 0x0D {
            at += 1
            if byte == 0x0A { line += 1 }
        }
        guard try peek() != nil else { return nil }
        var (row, size) = ([Field](), 0)
        repeat {
            let field = try field()
            size += field.text.utf8.count
            guard size <= Self.mostRowBytes, row.count < Self.mostFields else {
                throw StudioError(.tooLarge, "Line \(line) is too long.")
            }
            row.append(field)
        } while try take(separator)
        if try take(0x0D) { _ = try take(0x0A) } else { _ = try take(0x0A) }
        line += 1
        return row
    }

    private func take(_ byte: UInt8) throws(StudioError) -> Bool {
        guard try peek() == byte else { return false }
        at += 1
        return true
    }

    private func field() throws(StudioError) -> Field {
        var bytes: [UInt8] = []
        guard try take(UInt8(ascii: "\"")) else {
            while let byte = try peek(), byte != separator, byte != 0x0A, byte != 0x0D {
                bytes.append(byte)
                at += 1
                guard bytes.count <= Self.mostRowBytes else {
                    throw StudioError(.tooLarge, "Line \(line) is too long.")
                }
            }
            return Field(text: try text(bytes), isQuoted: false)
        }
        while let byte = try peek() {
            at += 1
            if byte == UInt8(ascii: "\"") {
                guard try take(UInt8(ascii: "\"")) else {
                    guard try isEndOfField() else {
                        throw StudioError(.invalid, "Line \(line) has text behind a closing quotation mark.")
                    }
                    return Field(text: try text(bytes), isQuoted: true)
                }
            } else if byte == 0x0A {
                line += 1
            }
            bytes.append(byte)
            guard bytes.count <= Self.mostRowBytes else { throw StudioError(.tooLarge, "Line \(line) is too long.") }
        }
        throw StudioError(.invalid, "The file ends inside of quotation marks.")
    }

    private func isEndOfField() throws(StudioError) -> Bool {
        guard let byte = try peek() else { return true }
        return byte == separator || byte == 0x0A || byte == 0x0D
    }

    private func text(_ bytes: [UInt8]) throws(StudioError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw StudioError(.invalid, "Line \(line) isn't text in UTF-8.")
        }
        return text
    }
}
