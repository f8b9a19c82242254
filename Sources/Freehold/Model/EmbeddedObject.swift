/// The base class of objects that belong to one owner: a property, a list or a map of another object.
open class EmbeddedObject: ObjectBase {
    public override init() { super.init() }
}
