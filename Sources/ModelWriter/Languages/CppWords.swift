/// The names that C++ or the SDK already uses.
enum CppWords {
    static let keywords: Set<String> = [
        "alignas", "alignof", "and", "and_eq", "bitand", "bitor", "catch", "char16_t", "char32_t", "char8_t", "class",
        "co_await", "co_return", "co_yield", "compl", "concept", "const_cast", "consteval", "constexpr", "constinit",
        "decltype", "delete", "dynamic_cast", "explicit", "export", "friend", "mutable", "namespace", "new", "noexcept",
        "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private", "protected", "public", "reinterpret_cast",
        "requires", "static_assert", "static_cast", "template", "this", "thread_local", "throw", "try", "typeid",
        "typename", "using", "virtual", "xor", "xor_eq",
    ]

    /// The names that declarations in a struct use, and the members that the SDK's macro adds.
    static let members: Set<String> = [
        "int64_t", "m_obj", "m_rbool_query", "m_realm", "managed_pointers", "managed_pointers_names", "object_type",
        "observe", "realm", "schema", "std", "uint8_t", "unmanaged_to_managed_pointer", "is_object", "is_valid",
        "is_invalidated", "is_frozen", "is_managed", "freeze", "thaw", "get_realm", "detach", "managed",
    ]

    /// The types of the SDK's namespace, and those of the standard library that are visible in it.
    static let types: Set<String> = [
        "ObjectType", "accessor", "app", "app_error", "app_services", "bson", "box", "box_base", "client_reset",
        "collection_change", "db", "db_config", "decimal128", "default_scheduler", "int64_t", "internal", "link",
        "linking_objects", "list_change", "logger", "managed", "managed_base", "mixed", "mutable_sync_subscription_set",
        "networking", "notification_token", "object", "object_change", "object_id", "observation", "open", "persisted",
        "primary_key", "property", "proxy_config", "rbool", "realm", "results", "results_change", "scheduler", "schema",
        "serialize", "std", "sync_error", "sync_session", "sync_subscription", "sync_subscription_set",
        "thread_safe_reference", "uint8_t", "user", "uuid",
    ]
}
