extension Realm {
    /// Returns the projection of the object with the primary key, or `nil` if it doesn't exist. See the same method for
    /// classes of objects.
    public func object<P: ProjectionObservable, KeyType>(ofType type: P.Type, forPrimaryKey key: KeyType) -> P?
    where P.Root: Object {
        object(ofType: P.Root.self, forPrimaryKey: key).map { P(projecting: $0) }
    }
}
