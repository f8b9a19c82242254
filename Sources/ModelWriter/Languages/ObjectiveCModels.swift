import FreeholdEngine

/// `RLMObject` classes: a header, and an implementation with the parts that a header can't contain.
struct ObjectiveCModels: LanguageWriter {
    let plan: ModelPlan

    init(_ plan: ModelPlan) { self.plan = plan }

    static var traits: LanguageTraits {
        var traits = LanguageTraits(
            .objc,
            sdk: "Realm's SDK for Objective-C",
            classes: NameRules(
                characters: .letters,
                idiom: .pascal,
                keywords: CWords.keywords.union(ObjectiveCWords.keywords),
                taken: ObjectiveCWords.types,
                suffix: NameRules.classSuffix,
                mended: CWords.mended
            ),
            properties: NameRules(
                characters: .letters,
                idiom: .camel,
                keywords: CWords.keywords.union(ObjectiveCWords.keywords),
                taken: ObjectiveCWords.members,
                suffix: NameRules.propertySuffix,
                mended: { CWords.mended($0) ?? ObjectiveCWords.owned($0) },
                // The setter of a property has an uppercase letter, and its variable has a leading underscore.
                distinction: { CaseStyle.capitalized(String($0.drop { $0 == "_" })) }
            )
        )
        traits.hasFullText = false
        return traits
    }

    func files() -> [ModelFile] {
        let name = plan.options.fileName ?? "Models"
        return [
            ModelFile(name: name + ".h", text: header()), ModelFile(name: name + ".m", text: implementation(name)),
        ]
    }

    // MARK: The header

    private func header() -> String {
        var source = SourceText(indent: 4)
        source.line("#import <Foundation/Foundation.h>")
        source.line("#import <Realm/Realm.h>")
        let all = plan.written
        let outside = all.flatMap(\.said).compactMap(\.target?.name)
        var known: Set<String> = []
        let names = (all.map(\.name) + outside).filter { known.insert($0).inserted }
        if !names.isEmpty {
            source.blank()
            for name in names { source.line("@class \(name);") }
        }
        let inCollections = Set(all.flatMap(\.said).filter { $0.collection != .none }.compactMap(\.target?.name))
        if !inCollections.isEmpty {
            source.blank()
            for name in names where inCollections.contains(name) { source.line("RLM_COLLECTION_TYPE(\(name))") }
        }
        for model in plan.classes {
            source.blank()
            interface(model, &source)
        }
        return source.text
    }

    private func interface(_ model: PlannedClass, _ source: inout SourceText) {
        if let comment = model.omissionComment { return source.comments([comment]) }
        source.comments(model.remarks)
        let base =
            model.table.isEmbedded
            ? "RLMEmbeddedObject" : model.table.isAsymmetric ? "RLMAsymmetricObject" : "RLMObject"
        source.line("@interface \(model.name) : \(base)")
        for property in model.properties {
            source.comments(property.comments)
            if property.omission == nil { source.line("@property \(declaration(property));") }
        }
        for inverse in model.inverses {
            source.comments(inverse.comments)
            if inverse.omission == nil { source.line("@property (readonly) RLMLinkingObjects *\(inverse.name);") }
        }
        source.line("@end")
    }

    private func declaration(_ property: PlannedProperty) -> String {
        let type = ElementType(property)
        switch property.collection {
        case .none: return (property.isOptional ? type.optional : type.required) + property.name
        case .list: return "RLMArray<\(type.object)><\(type.tag)> *\(property.name)"
        case .set: return "RLMSet<\(type.object)><\(type.tag)> *\(property.name)"
        case .dictionary: return "RLMDictionary<NSString *, \(type.object)><RLMString, \(type.tag)> *\(property.name)"
        }
    }

    // MARK: The implementation

    private func implementation(_ name: String) -> String {
        var source = SourceText(indent: 4)
        source.line("#import \"\(name).h\"")
        for model in plan.written {
            source.blank()
            source.line("@implementation \(model.name)")
            if model.isMapped {
                method("(NSString *)_realmObjectName", Literals.objectiveC(model.table.name), &source)
            }
            if let key = model.key { method("(NSString *)primaryKey", Literals.objectiveC(key.name), &source) }
            let required = model.said.filter(Self.isToBeRequired).map { Literals.objectiveC($0.name) }
            array("(NSArray<NSString *> *)requiredProperties", required, &source)
            let indexed = model.said.filter { $0.index != .none }.map { Literals.objectiveC($0.name) }
            array("(NSArray<NSString *> *)indexedProperties", indexed, &source)
            let mapped = model.said.filter(\.isMapped).map {
                "\(Literals.objectiveC($0.name)): \(Literals.objectiveC($0.column.name))"
            }
            dictionary("(NSDictionary<NSString *, NSString *> *)_realmColumnNames", mapped, &source)
            let inverses = model.saidInverses.map {
                "\(Literals.objectiveC($0.name)): [RLMPropertyDescriptor descriptorWithClass:\($0.originName).class "
                    + "propertyName:\(Literals.objectiveC($0.originProperty))]"
            }
            dictionary(
                "(NSDictionary<NSString *, RLMPropertyDescriptor *> *)linkingObjectsProperties",
                inverses,
                &source
            )
            source.line("@end")
        }
        return source.text
    }

    private func method(_ signature: String, _ value: String, _ source: inout SourceText) {
        source.block("+ \(signature) {", "}") { $0.line("return \(value);") }
    }

    private func array(_ signature: String, _ elements: [String], _ source: inout SourceText) {
        guard !elements.isEmpty else { return }
        method(signature, "@[\(elements.joined(separator: ", "))]", &source)
    }

    private func dictionary(_ signature: String, _ entries: [String], _ source: inout SourceText) {
        guard !entries.isEmpty else { return }
        source.block("+ \(signature) {", "}") { body in
            body.block("return @{", "};") { body in for entry in entries { body.line(entry + ",") } }
        }
    }

    /// Returns a Boolean value that indicates whether the property belongs in `requiredProperties`: it can't be null,
    /// but its Objective-C type can.
    private static func isToBeRequired(_ property: PlannedProperty) -> Bool {
        guard !property.isOptional, !property.isLink else { return false }
        guard property.collection == .none else { return true }
        switch property.type {
        case .bool, .int, .float, .double: return false
        default: return true
        }
    }
}

/// The notation of a property's type in Objective-C.
private struct ElementType {
    /// The type before the name of a property that can't be null.
    let required: String
    /// The type before the name of a property that can be null.
    let optional: String
    /// The type as an element of a collection's type.
    let object: String
    /// The protocol that specifies the type of a number or of the elements of a collection.
    let tag: String

    init(_ property: PlannedProperty) {
        switch property.type {
        case .bool: self.init(primitive: "BOOL", "RLMBool")
        case .int: self.init(primitive: "NSInteger", "RLMInt")
        case .float: self.init(primitive: "float", "RLMFloat")
        case .double: self.init(primitive: "double", "RLMDouble")
        case .string: self.init(object: "NSString", "RLMString")
        case .data: self.init(object: "NSData", "RLMData")
        case .timestamp: self.init(object: "NSDate", "RLMDate")
        case .decimal128: self.init(object: "RLMDecimal128", "RLMDecimal128")
        case .objectId: self.init(object: "RLMObjectId", "RLMObjectId")
        case .uuid: self.init(object: "NSUUID", "RLMUUID")
        case .link:
            let name = property.target?.name ?? "RLMObject"
            self.init(object: name, name)
        case .mixed:
            self.init(required: "id<RLMValue> ", optional: "id<RLMValue> ", object: "id<RLMValue>", tag: "RLMValue")
        }
    }

    private init(required: String, optional: String, object: String, tag: String) {
        self.required = required
        self.optional = optional
        self.object = object
        self.tag = tag
    }

    private init(primitive: String, _ tag: String) {
        self.init(required: primitive + " ", optional: "NSNumber<\(tag)> *", object: "NSNumber *", tag: tag)
    }

    private init(object: String, _ tag: String) {
        self.init(required: object + " *", optional: object + " *", object: object + " *", tag: tag)
    }
}
