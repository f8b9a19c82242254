extension Realm {
    /// The projection of the object with that primary key, or nil: see the same for classes of objects.
    public func object<P: ProjectionObservable, KeyType>(ofType type: P.Type, forPrimaryKey key: KeyType) -> P?
    where P.Root: Object {
        object(ofType: P.Root.self, forPrimaryKey: key).map { P(projecting: $0) }
    }
}
