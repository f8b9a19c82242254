// Indexes other than those of values.

extension Persisted {
    /// Creates a string property with a full-text index of its words.
    @inlinable public init(fullText: Bool) where Value.PersistedType: _QueryString {
        self.init()
        if fullText { meta = Self.fullTextBit }
    }

    @inlinable public init(wrappedValue value: Value, fullText: Bool)
    where Value.PersistedType: _QueryString {
        self.init(wrappedValue: value)
        if fullText { meta = Self.fullTextBit }
    }

    /// Creates a string property with a full-text index of its words and another name in the file.
    @inlinable public init(fullText: Bool, mapTo name: String) where Value.PersistedType: _QueryString {
        self.init(fullText: fullText)
        map(to: name)
    }

    @inlinable public init(wrappedValue value: Value, fullText: Bool, mapTo name: String)
    where Value.PersistedType: _QueryString {
        self.init(wrappedValue: value, fullText: fullText)
        map(to: name)
    }

    /// Creates the coordinates (longitude, latitude) of an embedded place, with an index of places.
    @inlinable public init(geoIndexed: Bool) where Value == List<Double> {
        self.init()
        if geoIndexed { meta = Self.placesBit }
    }

    @inlinable public init(wrappedValue value: Value, geoIndexed: Bool)
    where Value == List<Double> {
        self.init(wrappedValue: value)
        if geoIndexed { meta = Self.placesBit }
    }

    /// Creates coordinates with an index of places and another name in the file. Use the name `coordinates` if the
    /// property has another one.
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
