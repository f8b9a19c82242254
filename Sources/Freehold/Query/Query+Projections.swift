import FreeholdEngine

extension Query where T: ProjectionObservable {
    /// The projected object, for conditions on properties that the projection doesn't show.
    public var rootObject: Query<T.Root> { Query<T.Root>(node) }

    /// The elements of a projected collection. A condition matches if any of them matches: `$0.friendsNames == "Ada"`.
    public subscript<Value>(dynamicMember member: KeyPath<T, ProjectedCollection<Value>>) -> Query<Value> {
        let reading = storedReading(member)
        let count = reading.collectionNames ?? reading.names.count
        var path = path
        for name in reading.names[..<count] { path = path.appending(name) }
        path = path.throughCollection()
        for name in reading.names[count...] { path = path.appending(name) }
        return Query<Value>(path)
    }
}
