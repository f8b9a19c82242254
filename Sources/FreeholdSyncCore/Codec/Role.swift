/// The purpose of a group of columns inside the surrounding group. The raw values are part of the protocol.
struct Role: RawRepresentable {
    let rawValue: UInt8

    init(rawValue: UInt8) { self.rawValue = rawValue }

    private init(_ rawValue: UInt8) { self.rawValue = rawValue }

    // Groups of values.
    static let float = Role(1)
    static let data = Role(2)
    static let date = Role(3)
    static let objectId = Role(4)
    static let uuid = Role(5)
    static let decimal = Role(6)
    static let link = Role(7)
    static let mixedList = Role(8)
    static let mixedDictionary = Role(9)
    static let embedded = Role(10)
    static let list = Role(11)
    static let set = Role(12)
    static let dictionary = Role(13)
    static let instance = Role(14)
    static let listDifference = Role(15)
    static let setDifference = Role(16)
    static let dictionaryDifference = Role(17)
    static let nested = Role(18)

    // Groups inside of these.
    static let second = Role(1)
    static let values = Role(20)
    static let keys = Role(21)
    static let edits = Role(22)
    static let fields = Role(23)
    static let origins = Role(2)

    // Groups of objects.
    static let born = Role(1)
    static let base = Role(2)
    static let whole = Role(3)
    static let difference = Role(4)
    static let contested = Role(5)

    // Groups of commits and changes.
    static let commitNumber = Role(1)
    static let clock = Role(2)
    static let commitBase = Role(3)
    static let schemaVersion = Role(4)
    static let part = Role(5)
    static let objects = Role(6)
    static let seen = Role(7)
    static let changes = Role(8)
    static let oldLists = Role(9)
    static let created = Role(1)
    static let places = Role(2)
    static let elsewhere = Role(1)
    static let steps = Role(2)
    static let references = Role(3)
    static let made = Role(4)
    static let amounts = Role(5)

    /// Returns the role of a part of a message. Each message has its own numbers of parts.
    static func part(_ number: UInt8) -> Role { Role(number) }
}
