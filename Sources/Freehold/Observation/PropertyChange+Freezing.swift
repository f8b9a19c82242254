extension PropertyChange {
    /// Returns the change with frozen objects and collections, so that any thread may read them.
    package func _frozen() -> PropertyChange {
        PropertyChange(name: name, oldValue: Self.frozen(oldValue), newValue: Self.frozen(newValue))
    }

    private static func frozen(_ value: Any?) -> Any? {
        guard let confined = value as? any ThreadConfined, confined._confinedCore != nil, !confined.isInvalidated else {
            return value
        }
        return confined.freeze()
    }
}

extension Realm {
    /// The number of the version that the realm shows. A later version has a greater number.
    package var _version: UInt64 { UInt64(core.committed.version) }
}

extension Realm {
    /// Passes the error of a write that no caller can catch to the logger.
    package static func _log(failedWrite error: any Swift.Error) {
        Log.write(.error, .realm, message: "A change of a view's binding wasn't stored: \(error)")
    }
}
