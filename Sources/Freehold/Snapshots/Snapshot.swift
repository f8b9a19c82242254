import FreeholdEngine

// Values for those who want no live objects: structs that are decoded from objects, and go anywhere.

extension RealmCollection where Element: ObjectBase {
    /// The elements' values, decoded into a type of the program.
    ///
    /// ```swift
    /// struct DogInfo: Codable, Sendable {
    ///     var name: String
    ///     var age: Int?
    ///     var owner: OwnerInfo?           // of what a link leads to
    ///     var toys: [ToyInfo]             // of a list's objects
    /// }
    /// let dogs = try await Realm.read { realm in
    ///     try realm.objects(Dog.self).where { $0.age > 3 }.sorted(by: \.name).snapshot(as: DogInfo.self)
    /// }
    /// ```
    /// The type's keys are names of properties, in Swift or in the file; what it doesn't ask for isn't read. Links and
    /// embedded objects decode as keyed values or null; lists, sets and linking objects as arrays; maps as dictionaries;
    /// enums and custom types as themselves or as what they are stored as. A type that follows links in a circle doesn't
    /// end, as long as the objects do so.
    ///
    /// - Throws: `DecodingError` with the path, where a key names no property, or a value doesn't fit the type.
    /// - Complexity: O(n), in order; unmanaged objects, too.
    public func snapshot<T: Decodable>(as type: T.Type = T.self) throws -> [T] {
        try WorkLimit.cuttingQueries {
            var out: [T] = []
            out.reserveCapacity(count)
            for element in self {
                try WorkLimit.checkOften()
                out.append(try element.snapshot(as: type))
            }
            return out
        }
    }
}

extension ObjectBase {
    /// The object's values, decoded into a type of the program: see ``RealmCollection/snapshot(as:)``.
    ///
    /// - Throws: `DecodingError` with the path, where a key names no property, or a value doesn't fit the type.
    public func snapshot<T: Decodable>(as type: T.Type = T.self) throws -> T {
        try T(from: SnapshotDecoder(SnapshotField(SnapshotNode(self))))
    }
}
