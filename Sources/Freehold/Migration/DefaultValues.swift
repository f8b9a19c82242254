import FreeholdEngine

/// The values that new objects of a class have in a property.
final class DefaultValues {
    private let catalogue: DynamicCatalogue
    private let info: ClassInfo
    private let index: Int

    /// Nil for links and properties that the class lacks.
    init?(_ schema: Schema, className: String, columnName: String) {
        catalogue = DynamicCatalogue(schema, stored: Schema([]))
        guard let info = catalogue.info(named: className),
            let index = info.properties.firstIndex(where: { $0.columnName == columnName && !$0.isComputed }),
            info.properties[index].shape.type != .object, info.properties[index].shape.collection == .none
        else {
            catalogue.clear()
            return nil
        }
        self.info = info
        self.index = index
    }

    deinit { catalogue.clear() }

    func next() -> Value { info.value(of: info.makeUnmanaged(), at: index) }
}
