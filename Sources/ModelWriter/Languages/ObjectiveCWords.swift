/// The names that Objective-C, Cocoa or Realm already uses.
enum ObjectiveCWords {
    static let keywords: Set<String> = [
        "BOOL", "Class", "IMP", "NO", "Nil", "SEL", "YES", "bycopy", "byref", "in", "inout", "instancetype", "nil",
        "oneway", "out", "self", "super", "_cmd",
    ]

    /// The members of `NSObject`, `RLMObjectBase` and `RLMObject`.
    static let members: Set<String> = [
        "accessibilityHint", "accessibilityLabel", "accessibilityValue", "autorelease",
        "class", "className", "copy", "dealloc", "debugDescription",
        "description", "finalize", "freeze", "frozen", "hash", "invalidated",
        "isFrozen", "isInvalidated", "isProxy", "isa", "linkingObjects", "mutableCopy", "objectSchema", "objectForKey",
        "observationInfo", "realm", "release", "retain", "retainCount", "self", "superclass", "thaw", "zone",
    ]

    /// The types of the runtime and of Apple's older headers, and those that the generated code uses.
    static let types: Set<String> = [
        "AbsoluteTime", "Boolean", "Byte", "ByteCount", "ByteOffset", "CharParameter", "Class", "Duration", "Fixed",
        "Float32", "Float64", "Float80", "Float96", "Fract", "Handle", "ItemCount", "LangCode", "LogicalAddress",
        "NSArray", "NSData", "NSDate", "NSDictionary", "NSInteger", "NSNumber", "NSObject", "NSString", "NSUUID",
        "OSErr", "OSStatus", "OSType", "Object", "OptionBits", "PBVersion", "PhysicalAddress", "Point", "ProcPtr",
        "Protocol", "Ptr", "Rect", "RegionCode", "ResID", "ResType", "RLMArray", "RLMAsymmetricObject", "RLMBool",
        "RLMData", "RLMDate", "RLMDecimal128", "RLMDictionary", "RLMDouble", "RLMEmbeddedObject", "RLMFloat", "RLMInt",
        "RLMLinkingObjects", "RLMObject", "RLMObjectId", "RLMPropertyDescriptor", "RLMSet", "RLMString", "RLMUUID",
        "RLMValue", "SInt16", "SInt32", "SInt64", "SInt8", "ScriptCode", "Size", "Str255", "StringPtr", "Style",
        "StyleField", "StyleParameter", "TimeBase", "TimeRecord", "TimeScale", "TimeValue", "UInt16", "UInt32",
        "UInt64", "UInt8", "UniChar", "UnsignedFixed", "UnsignedWide", "VersRec", "id", "wide",
    ]

    /// Returns a replacement for a name whose getter would return an object that the caller has to release.
    static func owned(_ name: String) -> String? {
        let bare = name.drop { $0 == "_" }
        for family in ["alloc", "copy", "init", "mutableCopy", "new"] where bare.hasPrefix(family) {
            if let next = bare.dropFirst(family.count).first, next.isLowercase { continue }
            return "its" + CaseStyle.capitalized(String(bare))
        }
        return nil
    }
}

/// The names that C, or macros of its headers, already use.
enum CWords {
    static let keywords: Set<String> = [
        "NULL", "EOF", "FALSE", "INFINITY", "NAN", "TRUE", "asm", "assert", "auto", "bool", "break", "case", "char",
        "complex", "const", "continue", "default", "do", "double", "else", "enum", "errno", "extern", "false", "float",
        "for", "goto", "i386", "if", "imaginary", "inline", "int", "linux", "long", "offsetof", "register", "restrict",
        "return", "setjmp", "short", "signed", "sizeof", "static", "stderr", "stdin", "stdout", "struct", "switch",
        "true", "typedef", "typeof", "union", "unix", "unsigned", "void", "volatile", "wchar_t", "while",
    ]

    private static let underscored: Set<String> = [
        "_Alignas", "_Alignof", "_Atomic", "_Bool", "_Complex", "_Float16", "_Generic", "_Imaginary", "_Noreturn",
        "_Nonnull", "_Nullable", "_Null_unspecified", "_Pragma", "_Static_assert", "_Thread_local", "__alignof",
        "__asm",
        "__attribute", "__autoreleasing", "__auto_type", "__block", "__bridge", "__bridge_retained",
        "__bridge_transfer", "__builtin_va_list", "__complex", "__const", "__covariant", "__contravariant",
        "__cplusplus", "__declspec", "__extension", "__float128", "__imag", "__inline", "__int128", "__kindof",
        "__label", "__module_private", "__nonnull", "__null", "__null_unspecified", "__nullable", "__objc_no",
        "__objc_yes", "__private_extern", "__real", "__restrict", "__signed", "__strong", "__thread", "__typeof",
        "__unsafe_unretained", "__volatile", "__weak",
    ]

    /// Returns a replacement for a keyword of the compiler (`__strong`) or for a possible macro (`__FILE__`,
    /// `_GNU_SOURCE`).
    static func mended(_ name: String) -> String? {
        guard name.hasPrefix("_") else { return nil }
        let bare = name.drop { $0 == "_" }
        let isShouted =
            bare.count > 1 && bare.first!.isLetter && bare.allSatisfy { $0.isASCII && !$0.isLowercase }
        guard underscored.contains(name) || (name.hasPrefix("__") && name.hasSuffix("__")) || isShouted else {
            return nil
        }
        let made = bare.isEmpty ? "unnamed" : String(bare)
        return IdentifierCharacters.letters.isIdentifier(made) ? made : "n" + made
    }
}
