#if PostgreSQL
    internal import FreeholdSyncCore

    /// The rows that a statement returned, in binary form. Any thread may use it.
    ///
    /// The server that sends the rows may be damaged or hostile. Each access therefore checks the column, the length and the form, and throws
    /// `PostgresFailure`.
    struct QueryResult: Sendable {
        private let columns: Int
        private var bytes: [UInt8] = []
        /// The positions in `bytes` at which the cells end, row by row.
        private var ends: [Int] = []
        /// The indexes of the cells that are NULL.
        private var nulls: Set<Int> = []

        init(columns: Int) { self.columns = columns }

        var count: Int { columns == 0 ? 0 : ends.count / columns }

        var byteCount: Int { bytes.count }

        var rows: [Row] { (0..<count).map { Row(result: self, index: $0) } }

        /// The first row, or `nil` for a result without rows.
        var first: Row? { count > 0 ? Row(result: self, index: 0) : nil }

        mutating func append(_ cell: UnsafeRawBufferPointer?) {
            if let cell { bytes.append(contentsOf: cell) } else { nulls.insert(ends.count) }
            ends.append(bytes.count)
        }

        fileprivate func cell(_ row: Int, _ column: Int) throws(PostgresFailure) -> ArraySlice<UInt8>? {
            guard column < columns else { throw .malformed("a row has \(columns) columns") }
            let index = row * columns + column
            if nulls.contains(index) { return nil }
            return bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
        }

        struct Row {
            fileprivate let result: QueryResult
            fileprivate let index: Int

            func optional(_ column: Int) throws(PostgresFailure) -> ArraySlice<UInt8>? {
                try result.cell(index, column)
            }

            func slice(_ column: Int) throws(PostgresFailure) -> ArraySlice<UInt8> {
                guard let cell = try optional(column) else { throw .malformed("column \(column) is NULL") }
                return cell
            }

            func bytes(_ column: Int) throws(PostgresFailure) -> [UInt8] { Array(try slice(column)) }

            func optionalBytes(_ column: Int) throws(PostgresFailure) -> [UInt8]? {
                try optional(column).map { Array($0) }
            }

            func word(_ column: Int) throws(PostgresFailure) -> UInt64 {
                let cell = try slice(column)
                guard cell.count == 8 else { throw .malformed("column \(column) isn't a word") }
                return cell.reduce(0) { $0 << 8 | UInt64($1) }
            }

            func optionalWord(_ column: Int) throws(PostgresFailure) -> UInt64? {
                try optional(column) == nil ? nil : word(column)
            }

            func int(_ column: Int) throws(PostgresFailure) -> Int64 { Int64(bitPattern: try word(column)) }

            func small(_ column: Int) throws(PostgresFailure) -> Int32 {
                let cell = try slice(column)
                guard cell.count == 4 else { throw .malformed("column \(column) isn't a number") }
                return Int32(bitPattern: cell.reduce(0) { $0 << 8 | UInt32($1) })
            }

            func bool(_ column: Int) throws(PostgresFailure) -> Bool {
                let cell = try slice(column)
                guard cell.count == 1, let first = cell.first, first <= 1 else {
                    throw .malformed("column \(column) isn't a Boolean value")
                }
                return first == 1
            }

            func ident(_ column: Int) throws(PostgresFailure) -> FileIdent {
                guard let raw = UInt32(exactly: try word(column)) else {
                    throw .malformed("column \(column) isn't a file's number")
                }
                return FileIdent(rawValue: raw)
            }

            func hash(_ column: Int) throws(PostgresFailure) -> RunningHash {
                let cell = try slice(column)
                guard cell.count == 16 else { throw .malformed("column \(column) isn't a hash") }
                return RunningHash(
                    high: cell.prefix(8).reduce(0) { $0 << 8 | UInt64($1) },
                    low: cell.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
                )
            }

            func text(_ column: Int) throws(PostgresFailure) -> SyncString {
                try Self.text(try slice(column), column)
            }

            private static func text(_ bytes: ArraySlice<UInt8>, _ column: Int) throws(PostgresFailure) -> SyncString {
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw .malformed("column \(column) isn't UTF-8")
                }
                return SyncString(text)
            }

            /// The elements of an array of texts.
            func texts(_ column: Int) throws(PostgresFailure) -> [SyncString] {
                var rest = try slice(column)
                func number() throws(PostgresFailure) -> Int {
                    guard rest.count >= 4 else { throw .malformed("column \(column) isn't an array") }
                    let number = Int32(bitPattern: rest.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
                    rest = rest.dropFirst(4)
                    return Int(number)
                }
                let dimensions = try number()
                _ = (try number(), try number())
                guard dimensions > 0 else { return [] }
                let count = try number()
                _ = try number()
                // Each element takes four bytes at least.
                guard dimensions == 1, 0...rest.count / 4 ~= count else {
                    throw .malformed("column \(column) isn't an array")
                }
                var texts: [SyncString] = []
                for _ in 0..<count {
                    let length = try number()
                    guard 0...rest.count ~= length else { throw .malformed("column \(column) isn't an array") }
                    texts.append(try Self.text(rest.prefix(length), column))
                    rest = rest.dropFirst(length)
                }
                return texts
            }
        }
    }

    extension PostgresFailure {
        static func malformed(_ text: String) -> PostgresFailure {
            PostgresFailure(.malformed, "The database's answer isn't what the statement returns: \(text).")
        }
    }
#endif
