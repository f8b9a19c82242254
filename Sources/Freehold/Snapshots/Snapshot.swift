import FreeholdEngine

// Value snapshots: structs that are decoded from objects. They can cross threads.

extension RealmCollection where Element: ObjectBase {
    /// Returns the values of the elements, decoded to a type of the program.
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
    /// The keys of the type are names of properties, in Swift or in the file. Properties without a key aren't read.
    /// Links and embedded objects decode as keyed values or null. Lists, sets and linking objects decode as arrays, and
    /// maps as dictionaries. Enums and custom types decode as themselves or as their stored values. If a type follows
    /// links in a cycle, decoding doesn't end as long as the objects form a cycle.
    ///
    /// - Throws: `DecodingError` with the coding path, if a key isn't the name of a property or a value doesn't fit the
    ///   type.
    /// - Complexity: O(n), in order. The method also works for unmanaged objects.
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
    /// Returns the values of the object, decoded to a type of the program. See ``RealmCollection/snapshot(as:)``.
    ///
    /// - Throws: `DecodingError` with the coding path, if a key isn't the name of a property or a value doesn't fit the
    ///   type.
    public func snapshot<T: Decodable>(as type: T.Type = T.self) throws -> T {
        try T(from: SnapshotDecoder(SnapshotField(SnapshotNode(self))))
    }
}
