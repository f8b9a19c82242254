#if canImport(Combine) || Combine
    public import Freehold

    /// A change that publishers deliver: of an object, a collection, a map or sections.
    public protocol _PublishedChange {
        associatedtype Observed: ThreadConfined
        /// The change as the event of a value, which is an `Observed`.
        var _event: _ValueEvent { get }
        /// Returns the change with another value, which shows the same state. Other contents are frozen.
        func _with(_ value: Observed) -> Self
        /// Returns the change for an observer that hasn't received the state before the change.
        func _restarted() -> Self
    }

    extension _PublishedChange {
        /// The observed value, or `nil` if the change contains none.
        public var _observed: Observed? {
            switch _event {
            case .initial(let value), .value(let value): value as? Observed
            case .deleted, .failed: nil
            }
        }

        /// Returns the change with the frozen value.
        func frozen() -> Self {
            guard let value = _observed, value.realm != nil, !value.isInvalidated else { return self }
            return _with(value.freeze())
        }
    }

    extension ObjectChange: _PublishedChange where T: ThreadConfined {
        public var _event: _ValueEvent {
            switch self {
            case .change(let value, _): .value(value)
            case .deleted: .deleted
            case .error(let error): .failed(error)
            }
        }

        public func _with(_ value: T) -> Self {
            guard case .change(_, let properties) = self else { return self }
            return .change(value, properties.map { $0._frozen() })
        }

        public func _restarted() -> Self { self }
    }

    extension RealmCollectionChange: _PublishedChange where CollectionType: ThreadConfined {
        public var _event: _ValueEvent {
            switch self {
            case .initial(let value): .initial(value)
            case .update(let value, _, _, _): .value(value)
            case .error(let error): .failed(error)
            }
        }

        public func _with(_ value: CollectionType) -> Self {
            guard case .update(_, let deletions, let insertions, let modifications) = self else {
                return .initial(value)
            }
            return .update(value, deletions: deletions, insertions: insertions, modifications: modifications)
        }

        public func _restarted() -> Self { _observed.map { .initial($0) } ?? self }
    }

    extension RealmMapChange: _PublishedChange where MapType: ThreadConfined {
        public var _event: _ValueEvent {
            switch self {
            case .initial(let map): .initial(map)
            case .update(let map, _, _, _): .value(map)
            case .error(let error): .failed(error)
            }
        }

        public func _with(_ map: MapType) -> Self {
            if case .update(_, let gone, let new, let changed) = self {
                return .update(map, deletions: gone, insertions: new, modifications: changed)
            }
            return .initial(map)
        }

        public func _restarted() -> Self { _observed.map { .initial($0) } ?? self }
    }

    extension SectionedResultsChange: _PublishedChange where Collection: ThreadConfined {
        public var _event: _ValueEvent {
            switch self {
            case .initial(let sections): .initial(sections)
            case .update(let sections, _, _, _, _, _): .value(sections)
            }
        }

        public func _with(_ sections: Collection) -> Self {
            guard case .update(_, let deletions, let insertions, let modifications, let new, let gone) = self else {
                return .initial(sections)
            }
            return .update(
                sections,
                deletions: deletions,
                insertions: insertions,
                modifications: modifications,
                sectionsToInsert: new,
                sectionsToDelete: gone
            )
        }

        public func _restarted() -> Self { _observed.map { .initial($0) } ?? self }
    }
#endif
