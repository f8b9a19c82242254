import FreeholdEngine

// Contents of an unmanaged object that aren't values of the properties' types. The object is a copy of a stored one, which
// a newer version of the program has written. The content is kept beside the object, so that the copy shows it and another
// realm can store it.
//
// The wrapper of such a property is that of a managed one. So typed reads and writes take the slow path, where the object
// is found to have no table. A typed read ends the process or gives nil, like in a managed object. A typed write makes the
// wrapper an unmanaged one again.

extension ObjectBase {
    /// Returns the content of a property that isn't a value of its type, if the object is unmanaged.
    @inline(__always) final func _kept(_ key: Int) -> _StoredContent? {
        guard let extra = _extra, _core == nil else { return nil }
        return extra.kept[key]
    }

    /// A Boolean value that indicates whether the object is unmanaged and has such contents.
    final var _keepsContents: Bool { _core == nil && !(_extra?.kept.isEmpty ?? true) }

    /// Keeps the content of a property. Its wrapper must be a managed one.
    final func _keep(_ content: _StoredContent, _ key: Int) {
        if _extra == nil { _extra = ObjectExtra() }
        _extra!.kept[key] = content
        _state = KeyPathRecorder.state
        _stamp = 1
    }

    /// Assigns a value to a property with kept content.
    ///
    /// - Returns: false for other properties.
    @inline(never) final func _replaceKept(_ key: Int, by content: _StoredContent) -> Bool {
        guard _kept(key) != nil else { return false }
        _extra!.kept[key] = nil
        let property = _info.properties[key]
        _fieldAddress(property.metaOffset).storeBytes(of: 0, as: UInt32.self)
        return property.access.assign(content, to: self, at: property)
    }
}

extension _PropertyShape {
    /// Returns a Boolean value that indicates whether a column of the shape can contain the content of one value.
    func stores(_ content: _StoredContent) -> Bool {
        switch (content, type) {
        case (.value(.bool), .bool), (.value(.int), .int), (.value(.float), .float), (.value(.double), .double),
            (.value(.string), .string), (.value(.data), .data), (.value(.timestamp), .date), (.value(.uuid), .UUID),
            (.value(.objectId), .objectId), (.value(.decimal128), .decimal128), (.object(_?), .object):
            true
        default: false
        }
    }
}

extension RealmCollectionValue {
    /// Returns a Boolean value that indicates whether an unmanaged collection can keep contents that aren't all values of
    /// the type.
    static func keeps(_ contents: [_StoredContent]) -> Bool {
        let shape = _rlmShape
        // Elements that are stored as objects have an owner of their own.
        guard shape.isPartial, shape.type != .object else { return false }
        return contents.allSatisfy { _rlmFromContent($0) != nil || shape.stores($0) }
    }
}

extension [_StoredContent] {
    /// Returns the values for the contents. Those that aren't values of the type end the process.
    func elements<Member: RealmCollectionValue>() -> [Member] { map { Member._element($0, in: nil) } }

    /// Returns the position of the first equal element.
    func index<Member: RealmCollectionValue>(of element: Member) -> Int? {
        firstIndex { Member._rlmFromContent($0) == element }
    }
}

/// A collection that may keep contents.
protocol ContentKeeping {
    /// The contents of all elements of an unmanaged collection, if some aren't values of the element type.
    var kept: [_StoredContent]? { get }
}

extension List: ContentKeeping {}
extension MutableSet: ContentKeeping {}
