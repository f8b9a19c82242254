import Foundation

/// The part of the SDKs' declarations that a compiler needs for models, with the same restrictions.
enum Stubs {
    // MARK: Java

    static func writeJava(_ folder: String) throws {
        func type(_ name: String, _ body: String) throws {
            let parts = name.split(separator: ".")
            let text = "package \(parts.dropLast().joined(separator: "."));\n\(body)\n"
            try write(text, to: folder + "/" + parts.joined(separator: "/") + ".java")
        }
        try type("io.realm.RealmModel", "public interface RealmModel {}")
        try type(
            "io.realm.RealmObject",
            """
            public abstract class RealmObject implements RealmModel {
                public final boolean isValid() { return true; }
                public final boolean isManaged() { return false; }
                public final boolean isLoaded() { return true; }
                public final boolean isFrozen() { return false; }
                public final Object getRealm() { return null; }
            }
            """
        )
        for name in ["RealmList", "RealmSet", "RealmResults", "RealmDictionary"] {
            try type("io.realm.\(name)", "public class \(name)<E> {}")
        }
        try type("io.realm.RealmAny", "public class RealmAny {}")
        try type("org.bson.types.ObjectId", "public class ObjectId {}")
        try type("org.bson.types.Decimal128", "public class Decimal128 {}")
        for (name, target, members) in [
            ("PrimaryKey", "FIELD", ""), ("Index", "FIELD", ""), ("Required", "FIELD", ""),
            ("LinkingObjects", "FIELD", "String value() default \"\";"),
            ("RealmField", "FIELD", "String value() default \"\"; String name() default \"\";"),
            (
                "RealmClass", "TYPE",
                "String value() default \"\"; String name() default \"\"; boolean embedded() default false;"
            ),
        ] {
            try type(
                "io.realm.annotations.\(name)",
                """
                import java.lang.annotation.*;
                @Retention(RetentionPolicy.RUNTIME)
                @Target(ElementType.\(target))
                public @interface \(name) { \(members) }
                """
            )
        }
    }

    // MARK: JavaScript and TypeScript

    static func writeJavaScript(_ folder: String) throws {
        let package = folder + "/node_modules/realm"
        try write(
            "{\"name\": \"realm\", \"type\": \"module\", \"main\": \"index.js\", \"types\": \"index.d.ts\"}",
            to: package + "/package.json"
        )
        try write("export default class Realm { static Object = class {}; }\n", to: package + "/index.js")
        try write(
            """
            declare class Realm {}
            declare namespace Realm {
              class Object<T = unknown> {
                keys(): string[];
                entries(): [string, unknown][];
                toJSON(): Record<string, unknown>;
                isValid(): boolean;
                objectSchema(): unknown;
                linkingObjects(type: string, property: string): Results<unknown>;
                linkingObjectsCount(): number;
                addListener(callback: (object: T) => void): void;
                removeListener(callback: (object: T) => void): void;
                removeAllListeners(): void;
                getPropertyType(name: string): string;
              }
              interface List<T> extends Array<T> {}
              interface Set<T> extends Iterable<T> {}
              interface Results<T> extends Iterable<T> {}
              type Dictionary<T> = { [key: string]: T };
              type Mixed = unknown;
              namespace BSON { class ObjectId { toHexString(): string; } class UUID { toBinary(): unknown; } class Decimal128 { bytes: unknown; } }
              type TypeName = "bool" | "int" | "float" | "double" | "decimal128" | "objectId" | "string" | "data" | "date"
                | "mixed" | "uuid" | "list" | "set" | "dictionary" | "object" | "linkingObjects";
              type PropertySchema = {
                type: TypeName; objectType?: string; property?: string; optional?: boolean; indexed?: boolean | "full-text";
                mapTo?: string; default?: unknown;
              };
              type ObjectSchema = {
                name: string; primaryKey?: string; embedded?: boolean; asymmetric?: boolean;
                properties: { [key: string]: PropertySchema | string };
              };
            }
            export default Realm;

            """,
            to: package + "/index.d.ts"
        )
    }

    // MARK: C++

    static func writeCpp(_ folder: String) throws {
        try write(
            """
            #pragma once
            #include <array>
            #include <chrono>
            #include <cstdint>
            #include <map>
            #include <optional>
            #include <set>
            #include <string>
            #include <type_traits>
            #include <vector>
            namespace realm {
            struct object_id { static object_id generate(); bool operator<(const object_id &) const; };
            struct uuid { bool operator<(const uuid &) const; };
            struct decimal128 { bool operator<(const decimal128 &) const; };
            struct mixed { bool operator<(const mixed &) const; };
            template <typename T> struct primary_key { T value; };
            template <auto Link> struct linking_objects { static_assert(std::is_member_object_pointer_v<decltype(Link)>); };
            template <typename T> struct managed { T *value; };
            }
            #define STUB_PARENS ()
            #define STUB_EXPAND(...) STUB_EXPAND4(STUB_EXPAND4(STUB_EXPAND4(STUB_EXPAND4(__VA_ARGS__))))
            #define STUB_EXPAND4(...) STUB_EXPAND3(STUB_EXPAND3(STUB_EXPAND3(STUB_EXPAND3(__VA_ARGS__))))
            #define STUB_EXPAND3(...) STUB_EXPAND2(STUB_EXPAND2(STUB_EXPAND2(STUB_EXPAND2(__VA_ARGS__))))
            #define STUB_EXPAND2(...) STUB_EXPAND1(STUB_EXPAND1(STUB_EXPAND1(STUB_EXPAND1(__VA_ARGS__))))
            #define STUB_EXPAND1(...) __VA_ARGS__
            #define STUB_EACH(what, cls, ...) __VA_OPT__(STUB_EXPAND(STUB_STEP(what, cls, __VA_ARGS__)))
            #define STUB_STEP(what, cls, a, ...) what(cls, a) __VA_OPT__(STUB_AGAIN STUB_PARENS (what, cls, __VA_ARGS__))
            #define STUB_AGAIN() STUB_STEP
            #define STUB_PROPERTY(cls, property) managed<decltype(cls::property)> property;
            #define STUB_SCHEMA(cls, ...) template <> struct managed<cls> { \\
                STUB_EACH(STUB_PROPERTY, cls, __VA_ARGS__) \\
                static constexpr const char *schema = #cls; };
            #define REALM_SCHEMA(cls, ...) STUB_SCHEMA(cls, __VA_ARGS__)
            #define REALM_EMBEDDED_SCHEMA(cls, ...) STUB_SCHEMA(cls, __VA_ARGS__)
            #define REALM_ASYMMETRIC_SCHEMA(cls, ...) STUB_SCHEMA(cls, __VA_ARGS__)

            """,
            to: folder + "/cpprealm/sdk.hpp"
        )
    }

    // MARK: Objective-C

    static func writeObjectiveC(_ folder: String) throws {
        try write(
            """
            #pragma once
            typedef long NSInteger;
            typedef unsigned long NSUInteger;
            typedef signed char BOOL;
            typedef struct { short v, h; } Point;
            #define NULL ((void *)0)
            @protocol NSObject
            - (BOOL)isEqual:(id)object;
            @property (readonly) NSUInteger hash;
            @property (readonly) Class superclass;
            @property (readonly, copy) NSString *description;
            - (Class)class;
            @end
            @protocol NSCopying
            @end
            __attribute__((objc_root_class)) @interface NSObject <NSObject>
            + (instancetype)alloc;
            + (Class)class;
            - (instancetype)init;
            - (id)copy;
            @end
            @interface NSString : NSObject <NSCopying>
            @end
            @interface NSConstantString : NSString
            @end
            @interface NSNumber : NSObject
            @end
            @interface NSData : NSObject
            @end
            @interface NSDate : NSObject
            @end
            @interface NSUUID : NSObject
            @end
            @interface NSArray<__covariant T> : NSObject
            + (instancetype)arrayWithObjects:(const T [])objects count:(NSUInteger)count;
            @end
            @interface NSDictionary<__covariant K, __covariant V> : NSObject
            + (instancetype)dictionaryWithObjects:(const V [])objects forKeys:(const id [])keys count:(NSUInteger)count;
            @end

            """.replacing("@protocol NSObject\n", with: "@class NSString;\n@protocol NSObject\n"),
            to: folder + "/Foundation/Foundation.h"
        )
        try write(
            """
            #pragma once
            #import <Foundation/Foundation.h>
            @class RLMPropertyDescriptor;
            @interface RLMObjectBase : NSObject
            @property (nonatomic, readonly, getter = isInvalidated) BOOL invalidated;
            + (NSString *)className;
            + (NSString *)_realmObjectName;
            + (NSDictionary<NSString *, NSString *> *)_realmColumnNames;
            @end
            @interface RLMObject : RLMObjectBase
            @property (nonatomic, readonly) id realm;
            @property (nonatomic, readonly) id objectSchema;
            + (NSString *)primaryKey;
            + (NSArray<NSString *> *)requiredProperties;
            + (NSArray<NSString *> *)indexedProperties;
            + (NSDictionary<NSString *, RLMPropertyDescriptor *> *)linkingObjectsProperties;
            @end
            @interface RLMEmbeddedObject : RLMObject
            @end
            @interface RLMAsymmetricObject : RLMObject
            @end
            @protocol RLMValue
            @end
            @protocol RLMInt
            @end
            @protocol RLMBool
            @end
            @protocol RLMFloat
            @end
            @protocol RLMDouble
            @end
            @protocol RLMString
            @end
            @protocol RLMData
            @end
            @protocol RLMDate
            @end
            @protocol RLMObjectId
            @end
            @protocol RLMDecimal128
            @end
            @protocol RLMUUID
            @end
            @interface RLMObjectId : NSObject
            @end
            @interface RLMDecimal128 : NSObject
            @end
            @interface RLMArray<T> : NSObject
            @end
            @interface RLMSet<T> : NSObject
            @end
            @interface RLMDictionary<K, V> : NSObject
            @end
            @interface RLMLinkingObjects<T> : NSObject
            @end
            @interface RLMPropertyDescriptor : NSObject
            + (instancetype)descriptorWithClass:(Class)cls propertyName:(NSString *)name;
            @end
            #define RLM_COLLECTION_TYPE(cls) @protocol cls <NSObject> @end

            """,
            to: folder + "/Realm/Realm.h"
        )
    }
}
