import FreeholdEngine

/// The base class of lists, sets and maps with any elements. It contains the operations that storing an object needs.
/// Code that is generic in the elements would look up their types at each call.
public class _CollectionBase {
    init() {}

    /// Becomes the collection of a row's property. Its unmanaged content is dropped.
    func bind(_ table: ManagedTable, _ key: ObjectKey, property: Int) {}

    /// The content, if the collection is unmanaged and contains only plain values that can be stored. It is nil for all
    /// other collections, whose content is requested in another way.
    var plainContents: PlainContents? { nil }
}
