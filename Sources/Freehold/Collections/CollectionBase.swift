import FreeholdEngine

/// A list, a set or a map, whatever it holds: what an object that is stored asks of its collections. Code that is generic in their
/// elements would look up its types at each call.
public class _CollectionBase {
    init() {}

    /// Becomes the collection of a row's property; what it held is dropped.
    func bind(_ table: ManagedTable, _ key: ObjectKey, _ property: Int) {}

    /// What it holds, if it is unmanaged, and of plain values that can be stored. Nil for everything else, which is asked for its content.
    var plainContents: PlainContents? { nil }
}
