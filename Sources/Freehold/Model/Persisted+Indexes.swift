// Kinds of indexes beside that of values.

extension Persisted {
    /// A string whose words are found through a full-text index.
    @inlinable public init(fullText: Bool) where Value.PersistedType: _QueryString {
        self.init()
        if fullText { meta = Self.fullTextBit }
    }

    @inlinable public init(wrappedValue value: Value, fullText: Bool)
    where Value.PersistedType: _QueryString {
        self.init(wrappedValue: value)
        if fullText { meta = Self.fullTextBit }
    }

    /// A string whose words are found through a full-text index, and that is called otherwise in the file.
    @inlinable public init(fullText: Bool, mapTo name: String) where Value.PersistedType: _QueryString {
        self.init(fullText: fullText)
        map(to: name)
    }

    @inlinable public init(wrappedValue value: Value, fullText: Bool, mapTo name: String)
    where Value.PersistedType: _QueryString {
        self.init(wrappedValue: value, fullText: fullText)
        map(to: name)
    }

    /// The coordinates (longitude, latitude) of an embedded place, found through an index of places.
    @inlinable public init(geoIndexed: Bool) where Value == List<Double> {
        self.init()
        if geoIndexed { meta = Self.placesBit }
    }

    @inlinable public init(wrappedValue value: Value, geoIndexed: Bool)
    where Value == List<Double> {
        self.init(wrappedValue: value)
        if geoIndexed { meta = Self.placesBit }
    }

    /// The same, called otherwise in the file: `coordinates`, where the property isn't.
    @inlinable public init(geoIndexed: Bool, mapTo name: String) where Value == List<Double> {
        self.init(geoIndexed: geoIndexed)
        map(to: name)
    }

    @inlinable public init(wrappedValue value: Value, geoIndexed: Bool, mapTo name: String)
    where Value == List<Double> {
        self.init(wrappedValue: value, geoIndexed: geoIndexed)
        map(to: name)
    }
}
