/// The changes of one transaction, in the order of their execution.
public struct Changeset: Hashable, Sendable {
    public var instructions: [Instruction]

    /// The raw forms of the values of `setErase`, by the position of the instruction. The decoder sets them.
    ///
    /// The official client compares the values of two `setErase` by these, and not by their content. A changeset that wasn't
    /// decoded has none, and its values are compared by content.
    public internal(set) var rawForms: [Int: RawForm] = [:]

    /// The part of a value's place in the bytes of its changeset that the official client compares.
    public enum RawForm: Hashable, Sendable {
        /// The offset of a string's or data's content among all contents of the changeset, and its length.
        case content(offset: Int, length: Int)
        /// The number of the class among the interned strings, and a key that isn't a string.
        case link(table: Int, key: WireKey)
        /// The numbers of the class and of the key among the interned strings.
        case linkWithString(table: Int, key: Int)
    }

    public init(_ instructions: [Instruction] = []) { self.instructions = instructions }

    /// A Boolean value that indicates whether the changeset has no instruction.
    public var isEmpty: Bool { instructions.isEmpty }
}

/// The order of a changeset among the concurrent ones: its time, and the file that made it.
public struct ChangeOrder: Hashable, Sendable, Comparable {
    /// Milliseconds since 2015-01-01 00:00 UTC.
    public var timestamp: UInt64
    /// The file's ident. Two changesets that are merged with each other never have the same ident.
    public var ident: UInt64

    public init(timestamp: UInt64, ident: UInt64) {
        self.timestamp = timestamp
        self.ident = ident
    }

    public static func < (first: ChangeOrder, second: ChangeOrder) -> Bool {
        (first.timestamp, first.ident) < (second.timestamp, second.ident)
    }
}
