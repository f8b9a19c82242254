#if PostgreSQL
    internal import FreeholdSyncCore

    /// A value of a statement's parameter, in PostgreSQL's binary form.
    struct Parameter: Sendable {
        /// The bytes, or `nil` for NULL.
        let bytes: [UInt8]?

        static let null = Parameter(bytes: nil)

        static func int(_ value: Int64) -> Parameter { Parameter(bytes: binary(value)) }
        static func int(_ value: Int) -> Parameter { int(Int64(value)) }
        /// Returns an unsigned number as a signed number with the same bits.
        static func word(_ value: UInt64) -> Parameter { int(Int64(bitPattern: value)) }
        /// Returns a number for comparisons. A number that is too large for the type becomes the greatest number of the type.
        static func bound(_ value: UInt64) -> Parameter { int(Int64(clamping: value)) }
        static func ident(_ value: FileIdent) -> Parameter { int(Int64(value.rawValue)) }
        static func bytes(_ value: [UInt8]?) -> Parameter { Parameter(bytes: value) }
        static func text(_ value: SyncString) -> Parameter { Parameter(bytes: Array(value.string.utf8)) }
        static func hash(_ value: RunningHash) -> Parameter { Parameter(bytes: binary(value)) }

        static func ints(_ values: some Collection<Int64>) -> Parameter { array(20, values) { binary($0) } }
        static func words(_ values: some Collection<UInt64>) -> Parameter {
            array(20, values) { binary(Int64(bitPattern: $0)) }
        }
        static func idents(_ values: some Collection<FileIdent>) -> Parameter {
            array(20, values) { binary(Int64($0.rawValue)) }
        }
        static func blobs(_ values: some Collection<[UInt8]?>) -> Parameter { array(17, values) { $0 } }
        static func texts(_ values: some Collection<SyncString>) -> Parameter {
            array(25, values) { Array($0.string.utf8) }
        }
        static func strings(_ values: some Collection<String>) -> Parameter { array(25, values) { Array($0.utf8) } }
        /// - Parameter values: Texts in UTF-8.
        static func optionalTexts(_ values: some Collection<[UInt8]?>) -> Parameter { array(25, values) { $0 } }
        static func bool(_ value: Bool) -> Parameter { Parameter(bytes: [value ? 1 : 0]) }
        static func hashes(_ values: some Collection<RunningHash>) -> Parameter { array(2_950, values) { binary($0) } }
        /// - Parameter values: Numbers in binary form.
        static func optionalInts(_ values: some Collection<[UInt8]?>) -> Parameter { array(20, values) { $0 } }
        static func optionalHashes(_ values: some Collection<RunningHash?>) -> Parameter {
            array(2_950, values) { $0.map { binary($0) } }
        }
        static func bools(_ values: some Collection<Bool>) -> Parameter { array(16, values) { [$0 ? 1 : 0] } }

        private static func binary(_ value: Int64) -> [UInt8] { value.binary }

        private static func binary(_ value: RunningHash) -> [UInt8] {
            binary(Int64(bitPattern: value.high)) + binary(Int64(bitPattern: value.low))
        }

        /// An array of one dimension.
        ///
        /// - Parameter type: The object identifier of the type of the elements.
        private static func array<Values: Collection>(
            _ type: Int32,
            _ values: Values,
            _ element: (Values.Element) -> [UInt8]?
        ) -> Parameter {
            var bytes: [UInt8] = []
            func append(_ number: Int32) { withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) } }
            append(values.isEmpty ? 0 : 1)
            append(1)
            append(type)
            guard !values.isEmpty else { return Parameter(bytes: bytes) }
            append(Int32(clamping: values.count))
            append(1)
            for value in values {
                guard let value = element(value) else {
                    append(-1)
                    continue
                }
                append(Int32(clamping: value.count))
                bytes.append(contentsOf: value)
            }
            return Parameter(bytes: bytes)
        }
    }

    extension Int64 {
        /// The bytes of a binary parameter.
        var binary: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
    }
#endif
