import Synchronization

#if canImport(ObjectiveC)
    import ObjectiveC
#endif

/// The search for the model classes of the program: all classes of all modules that inherit from a root class at any
/// depth.
///
/// On Linux, it reads the type records of all loaded images and follows superclasses by their descriptors, so that only
/// real subclasses are instantiated. On Apple platforms, the Objective-C runtime lists all classes. A generic class
/// isn't a model, but a subclass of a specialised generic class is.
enum Discovery {
    private struct Known: Sendable {
        var images = -1
        var classes: [ObjectBase.Type] = []
    }

    private static let known = Mutex(Known())

    /// Returns the subclasses of ``Object`` in all modules, in no defined order. Searches again if images have been
    /// loaded since the last call.
    static func modelClasses() -> [ObjectBase.Type] {
        let sections = MetadataSections.all()
        return known.withLock { known in
            if known.images != sections.count {
                known.images = sections.count
                known.classes = find(in: sections)
            }
            return known.classes
        }
    }

    /// The base classes of the library.
    static let roots: [ObjectBase.Type] = [
        Object.self, EmbeddedObject.self, AsymmetricObject.self, DynamicObject.self,
    ]

    static func isRoot(_ cls: ObjectBase.Type) -> Bool {
        cls == ObjectBase.self || roots.contains { $0 == cls }
    }

    #if canImport(ObjectiveC)
        private static func find(in sections: [UnsafeRawBufferPointer]) -> [ObjectBase.Type] {
            var count: UInt32 = 0
            guard let list = objc_copyClassList(&count) else { return [] }
            defer { free(UnsafeMutableRawPointer(list)) }
            var found: [ObjectBase.Type] = []
            for i in 0..<Int(count) {
                var superclass: AnyClass? = class_getSuperclass(list[i])
                while let cls = superclass, cls != ObjectBase.self { superclass = class_getSuperclass(cls) }
                if superclass != nil, let cls = list[i] as? ObjectBase.Type, !isRoot(cls) { found.append(cls) }
            }
            return found
        }
    #else
        private static func find(in sections: [UnsafeRawBufferPointer]) -> [ObjectBase.Type] {
            let search = Search(rootDescriptors: Set(roots.map { ClassDescriptor($0).address }))
            var found: [ObjectBase.Type] = []
            for section in sections {
                search.forEachClass(in: section) { descriptor in
                    guard search.derives(descriptor), let cls = descriptor.instantiate() as? ObjectBase.Type,
                        !isRoot(cls)
                    else { return }
                    found.append(cls)
                }
            }
            return found
        }

        private struct Search {
            let rootDescriptors: Set<UnsafeRawPointer>
            private final class Memo { var derives: [UnsafeRawPointer: Bool] = [:] }
            private let memo = Memo()

            init(rootDescriptors: Set<UnsafeRawPointer>) { self.rootDescriptors = rootDescriptors }

            func forEachClass(in section: UnsafeRawBufferPointer, _ body: (ClassDescriptor) -> Void) {
                guard var record = section.baseAddress else { return }
                let end = record + section.count
                while record < end {
                    let distance = record.load(as: Int32.self)
                    // The low two bits are 0 for the descriptor itself, and 1 for a pointer to it.
                    var target = record + Int(distance & ~3)
                    let kind = distance & 3
                    record += 4
                    if kind == 1 { target = target.load(as: UnsafeRawPointer.self) } else if kind != 0 { continue }
                    let descriptor = ClassDescriptor(address: target)
                    if descriptor.isClass && !descriptor.isGeneric { body(descriptor) }
                }
            }

            func derives(_ descriptor: ClassDescriptor) -> Bool {
                if rootDescriptors.contains(descriptor.address) { return true }
                if let known = memo.derives[descriptor.address] { return known }
                let result: Bool
                switch descriptor.superclass {
                case .none: result = false
                case .descriptor(let base): result = derives(ClassDescriptor(address: base))
                case .other:
                    // The class is a subclass of a specialised generic class.
                    result = !descriptor.isGeneric && descriptor.instantiate() is ObjectBase.Type
                }
                memo.derives[descriptor.address] = result
                return result
            }
        }
    #endif
}

/// The type records of the loaded images.
enum MetadataSections {
    #if canImport(ObjectiveC)
        /// Returns no records, because the Objective-C runtime is used instead. It finds new classes without the number
        /// of its images.
        static func all() -> [UnsafeRawBufferPointer] { [] }
    #else
        /// The offset in the C structure of the runtime: version, base, two reserved words, then pairs of start and
        /// length for protocols, conformances and types.
        private static let typesOffset = 8 * MemoryLayout<UInt>.size

        static func all() -> [UnsafeRawBufferPointer] {
            let collected = Collected()
            swift_enumerateAllMetadataSections(collectSection, Unmanaged.passUnretained(collected).toOpaque())
            return collected.sections
        }

        fileprivate final class Collected {
            var sections: [UnsafeRawBufferPointer] = []

            func add(_ section: UnsafeRawPointer) {
                let start = section.load(fromByteOffset: typesOffset, as: UInt.self)
                let length = section.load(fromByteOffset: typesOffset + MemoryLayout<UInt>.size, as: UInt.self)
                guard length > 0, let base = UnsafeRawPointer(bitPattern: start) else { return }
                sections.append(UnsafeRawBufferPointer(start: base, count: Int(length)))
            }
        }
    #endif
}

#if !canImport(ObjectiveC)
    private func collectSection(_ section: UnsafeRawPointer?, _ context: UnsafeMutableRawPointer?) -> Bool {
        guard let section, let context else { return true }
        Unmanaged<MetadataSections.Collected>.fromOpaque(context).takeUnretainedValue().add(section)
        return true
    }

    @_silgen_name("swift_enumerateAllMetadataSections")
    private func swift_enumerateAllMetadataSections(
        _ body: @convention(c) (UnsafeRawPointer?, UnsafeMutableRawPointer?) -> Bool,
        _ context: UnsafeMutableRawPointer?
    )
#endif
